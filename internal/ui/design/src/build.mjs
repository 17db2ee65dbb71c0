// Makes what is embedded of the pages' look: the stylesheet, the icons as template parts,
// the font, and the licences of all of them. It writes below the folder that it is given
// as the repository, and its own packages have to be installed beside it.
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const packages = join(here, 'node_modules')
const lines = (name) => readFileSync(join(here, name), 'utf8').split('\n').filter(Boolean)
const package_ = (...at) => join(packages, ...at)

// blocks splits a stylesheet into its rules, each with what stands before its brace.
function blocks(css) {
  const list = []
  let depth = 0, from = 0, open = 0
  const text = css.replace(/\/\*[\s\S]*?\*\//g, (c) => ' '.repeat(c.length))
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '{' && depth++ === 0) open = i
    if (text[i] === '}' && --depth === 0) {
      list.push({ head: text.slice(from, open).trim(), body: css.slice(open + 1, i) })
      from = i + 1
    }
  }
  return list
}

// selectors splits a list of selectors at the commas that are in no brackets.
function selectors(head) {
  const list = ['']
  let depth = 0
  for (const c of head) {
    if (c === '(' || c === '[') depth++
    if (c === ')' || c === ']') depth--
    if (c === ',' && depth === 0) list.push('')
    else list[list.length - 1] += c
  }
  return list.map((s) => s.trim())
}

// Basecoat is one file for all components: only the rules of those in use are taken, and
// of a rule for several only the selectors of these. A line of components.txt is how a
// selector begins, and what takes its place: one class instead of a list of types.
function basecoat(components) {
  const unused = /\[data-size='(xs|icon-xs|icon-lg|default)'|data-variant='(link|destructive)'|role='switch'/
  const take = (s) => {
    for (const [begin, instead] of components.map((c) => c.split(' '))) {
      const rest = s.startsWith(begin) && s.slice(begin.length)
      if (rest !== false && !/^[\w-]/.test(rest)) return unused.test(rest.replace(/:not\([^)]*\)/g, '')) ? [] : [(instead ?? begin) + rest.replace(":not([role='switch'])", '')] // we have no switches
    }
    return []
  }
  const files = ['badge', 'button', 'card', 'checkbox', 'input', 'label', 'native-select', 'radio', 'table', 'textarea']
  const css = [...files.map((f) => `components/${f}.css`), 'styles/vega.css'].map((f) => readFileSync(package_('basecoat-css', 'dist', f), 'utf8'))
  // How errors, the focus and the dark look is said once in input.css, for everything.
  const said = /^(dark:|aria-invalid:|focus-visible:|aria-expanded:|has-\[\[data-icon|has-data-|has-\[>img|file:|selection:|\[a\]:|data-\[state|\[&:has\(\[role=checkbox|\[&>\[role=checkbox)/
  const apply = (body) => body.replace(/@apply ([^;]*);/g, (_, list) => {
    const kept = list.split(/\s+/).filter((u) => !said.test(u))
    return kept.length ? `@apply ${kept.join(' ')};` : ''
  })
  let out = ''
  for (const layer of css.flatMap(blocks)) {
    if (layer.head !== '@layer components') continue
    for (const rule of blocks(layer.body)) {
      const head = selectors(rule.head).flatMap(take)
      if (head.length) out += `${head.join(', ')} {${apply(rule.body)}}\n`
    }
  }
  return `@layer components {\n${out}}\n`
}

// icon is the inside of an icon's file, on one line.
function icon(name) {
  const svg = readFileSync(package_('lucide-static', 'icons', `${name}.svg`), 'utf8')
  return svg.slice(svg.indexOf('>', svg.indexOf('<svg')) + 1, svg.indexOf('</svg>')).trim().replace(/\s*\n\s*/g, '').replace(/ \/>/g, '/>')
}

// icons are one template part with a branch for each. The part takes an Icon.
function icons(names) {
  const branches = names.map((n, i) => `{{${i ? 'else if' : 'if'} eq .Name "${n}"}}${icon(n)}`).join('\n')
  return '{{/* Made of lucide-static (ISC) by src/build.mjs: change src/icons.txt. */}}\n' +
    '{{define "icon"}}<svg class="{{.Class}}" aria-hidden="true" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">' +
    `${branches}{{end}}</svg>{{end}}\n`
}

// licence joins a package's licence and those of what it has taken from others.
const licences = { 'tailwindcss': 'LICENSE', 'basecoat-css': 'LICENSE.md', 'lucide-static': 'LICENSE', '@fontsource-variable/inter': 'LICENSE' }

const repository = process.argv[2]
const to = join(repository, 'internal', 'ui', 'design')
for (const folder of ['assets', 'templates']) mkdirSync(join(to, folder), { recursive: true })
mkdirSync(join(repository, 'docs', 'licences'), { recursive: true })

writeFileSync(join(to, 'templates', 'icons.html'), icons(lines('icons.txt')))
copyFileSync(package_('@fontsource-variable/inter', 'files', 'inter-latin-wght-normal.woff2'), join(to, 'assets', 'inter.woff2'))
for (const [name, file] of Object.entries(licences)) {
  const text = readFileSync(package_(...name.split('/'), file), 'utf8').replace(/\r\n/g, '\n').replace(/[ \t]+$/gm, '')
  writeFileSync(join(repository, 'docs', 'licences', `npm_${name.replace('/', '_')}.txt`), text)
}
writeFileSync(join(here, 'basecoat.css'), basecoat(lines('components.txt')))
const tailwind = spawnSync(process.execPath, [package_('@tailwindcss', 'cli', 'dist', 'index.mjs'), '--input', join(here, 'input.css'), '--output', join(to, 'assets', 'design.css'), '--minify'], { encoding: 'utf8' })
rmSync(join(here, 'basecoat.css'))
if (tailwind.status !== 0) {
  console.error(tailwind.stderr)
  process.exit(1)
}
