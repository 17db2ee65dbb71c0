// The keys of the console: / leads to the search, g and a letter to a section, j and k through a
// list, e to the page of the act that comes next, and ? to the list of keys. None does anything
// by itself, and the page of keys turns them off.
document.documentElement.classList.add('js')
const rows = () => [...document.querySelectorAll('main tbody tr > :first-child a')]
const step = (by) => {
  const all = rows(), at = all.indexOf(document.activeElement)
  all[Math.min(Math.max(at + by, 0), all.length - 1)]?.focus()
}
const go = (selector) => document.querySelector(selector)?.click()
let began = 0 // when g was pressed
document.addEventListener('keydown', (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest('input, select, textarea, [contenteditable]')) return
  const section = Date.now() - began < 1500 && /^[a-z]$/.test(e.key) && document.querySelector(`a[data-key=${e.key}]`)
  began = 0
  if (section) {
    e.preventDefault()
    section.click()
    return
  }
  switch (e.key) {
    case 'g': began = Date.now(); break
    case 'j': step(1); break
    case 'k': step(-1); break
    case 'e': go('[data-act]'); break
    case '?': go('a[data-key="?"]'); break
    case '/':
      e.preventDefault()
      document.getElementById('search')?.focus()
  }
})
