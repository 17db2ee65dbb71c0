// What documentation does better with script: tabs that remember the language for the whole
// site, code that is shown whole, and a token that is kept for the tab.
(() => {
  const root = document.documentElement
  const language = 'tenor.language'
  root.classList.add('js')
  const kept = () => { try { return localStorage.getItem(language) } catch { return null } }
  const keep = (name) => { try { localStorage.setItem(language, name) } catch { /* it is asked anew */ } }

  let groups = []
  const choose = (name) => {
    for (const g of groups) {
      const at = Math.max(g.panels.findIndex((p) => p.dataset.tab === name), 0)
      if (name && g.panels[at].dataset.tab !== name && g.chosen) continue
      g.chosen = true
      g.panels.forEach((p, i) => { p.hidden = i !== at })
      g.tabs.forEach((t, i) => { t.setAttribute('aria-selected', i === at); t.tabIndex = i === at ? 0 : -1 })
    }
  }
  const tabs = (box, n) => {
    const panels = [...box.querySelectorAll(':scope > [data-tab]')]
    const list = document.createElement('div')
    list.setAttribute('role', 'tablist')
    list.setAttribute('aria-label', box.dataset.tabs)
    const buttons = panels.map((p, i) => {
      const t = document.createElement('button')
      p.id = p.id || `tab-${n}-${i}`
      Object.assign(t, { type: 'button', id: p.id + '-tab', textContent: p.dataset.title })
      t.setAttribute('role', 'tab')
      t.setAttribute('aria-controls', p.id)
      p.setAttribute('role', 'tabpanel')
      p.setAttribute('aria-labelledby', t.id)
      t.addEventListener('click', () => { keep(p.dataset.tab); choose(p.dataset.tab) })
      return t
    })
    list.addEventListener('keydown', (e) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key]
      if (!step) return
      e.preventDefault()
      const next = buttons[(buttons.indexOf(document.activeElement) + step + buttons.length) % buttons.length]
      next.click()
      next.focus()
    })
    list.append(...buttons)
    box.prepend(list)
    box.classList.add('ready')
    groups.push({ panels, tabs: buttons })
  }

  // Code that is higher than its place fades at its end, with a button that shows all of it.
  const cuts = new ResizeObserver((all) => {
    for (const { target: code } of all) {
      const cut = code.scrollHeight > code.clientHeight && !code.classList.contains('whole')
      code.classList.toggle('cut', cut)
      code.nextElementSibling.hidden = !cut
    }
  })
  const bounded = (code) => {
    code.nextElementSibling.addEventListener('click', () => {
      code.classList.add('whole')
      code.focus({ preventScroll: true })
    })
    cuts.observe(code)
  }

  // The token that a form was sent with is kept for the tab, and for no longer.
  const token = (field) => {
    const name = 'tenor.token.' + field.dataset.keep
    try {
      field.value = field.value || sessionStorage.getItem(name) || ''
      field.form.addEventListener('submit', () => sessionStorage.setItem(name, field.value))
    } catch { /* it is typed again */ }
  }

  document.addEventListener('DOMContentLoaded', () => {
    document.querySelectorAll('[data-tabs]').forEach(tabs)
    choose(kept())
    document.querySelectorAll('.bounded').forEach(bounded)
    document.querySelectorAll('input[data-keep]').forEach(token)
  })
})()
