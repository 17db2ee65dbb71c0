// The key / leads to the search, and hits are shown while somebody types: those that the page
// of the search shows, which the server ranks.
const field = document.querySelector('[role=search] input')
if (field) {
  const box = document.getElementById('found')
  const close = () => { box.hidden = true }
  let asked = 0, waiting
  const ask = async () => {
    const mine = ++asked, text = field.value.trim()
    if (!text) return close()
    const at = field.form.action + '?q=' + encodeURIComponent(text)
    const answer = await fetch(at).catch(() => null)
    if (!answer?.ok || mine !== asked) return
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const said = page.getElementById('said'), hits = page.getElementById('hits')
    if (mine !== asked || !said) return
    said.removeAttribute('id')
    box.replaceChildren(said)
    if (hits) {
      hits.removeAttribute('id')
      for (const more of [...hits.children].slice(8)) more.remove()
      box.append(hits)
    }
    box.hidden = document.activeElement !== field
  }
  field.addEventListener('input', () => { clearTimeout(waiting); waiting = setTimeout(ask, 120) })
  field.form.addEventListener('focusout', (e) => { if (!field.form.contains(e.relatedTarget)) close() })
  field.form.addEventListener('keydown', (e) => {
    const all = [field, ...box.querySelectorAll('a')], at = all.indexOf(document.activeElement)
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 }[e.key]
    if (e.key === 'Escape') { close(); field.focus() }
    if (to === undefined || box.hidden || at < 0) return
    e.preventDefault()
    all[Math.min(Math.max(to, 0), all.length - 1)].focus()
  })
  document.addEventListener('keydown', (e) => {
    if (e.key !== '/' || e.ctrlKey || e.metaKey || e.altKey || e.target.closest('input, select, textarea, [contenteditable]')) return
    e.preventDefault()
    field.focus()
    field.select()
  })
}
