// Shows the button beside each key, which without this file would do nothing, and copies.
for (const button of document.querySelectorAll('button[data-copy]')) {
  const said = document.getElementById(button.dataset.copy + '-copied')
  button.hidden = false
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent)
    said.textContent = said.dataset.text
  })
}
