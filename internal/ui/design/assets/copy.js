// Shows the buttons that copy, which without this file would do nothing, and copies: the
// text that a button names, or the code that it stands above.
for (const button of document.querySelectorAll('button[data-copy]')) {
  const of = button.dataset.copy ? document.getElementById(button.dataset.copy) : button.closest('figure').querySelector('code')
  const said = button.dataset.copy ? document.getElementById(button.dataset.copy + '-copied') : button.nextElementSibling
  button.hidden = false
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(of.textContent)
    said.textContent = said.dataset.text
    setTimeout(() => { said.textContent = '' }, 4000)
  })
}
