"""How the page looks: light and dark by the reader's own setting, from a phone to a wide screen.

Every colour of text has a contrast of at least 4.5 to 1 against what it stands on (WCAG AA).
"""

STYLE = """
:root { color-scheme: light dark; --ground: #ffffff; --card: #f6f8fa; --text: #1b1f24; --quiet: #57606a;
  --edge: #d0d7de; --link: #0550ae; --passed: #116329; --pending: #0550ae; --held: #7a4100;
  --failed: #a40e26; --superseded: #6639ba }
@media (prefers-color-scheme: dark) { :root { --ground: #0d1117; --card: #161b22; --text: #e6edf3;
  --quiet: #9ba3ad; --edge: #3d444d; --link: #79c0ff; --passed: #56d364; --pending: #79c0ff;
  --held: #e3b341; --failed: #ff9790; --superseded: #d2a8ff } }
* { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--text); overflow-wrap: anywhere;
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", "Liberation Sans", Arial, sans-serif }
main, footer, header { max-width: 70rem; margin: 0 auto; padding: 0 1rem }
h1 { font-size: 1.5rem; line-height: 1.3; margin: 0 0 .5rem } h2 { font-size: 1.25rem; margin: 2.5rem 0 .75rem;
  padding-bottom: .25rem; border-bottom: 1px solid var(--edge) } h3 { font-size: 1.1rem; margin: 0 0 .25rem }
p, ul, dl { margin: 0 0 .75rem } ul { padding-left: 1.25rem } a { color: var(--link) }
header { padding-top: 1.5rem } .quiet, footer { color: var(--quiet) } footer { padding: 2rem 1rem; font-size: .9rem }
.verdict { border: 1px solid var(--edge); border-left: .5rem solid; border-radius: .4rem; padding: 1rem;
  background: var(--card) }
.layer { border: 1px solid var(--edge); border-left: .35rem solid; border-radius: .4rem; padding: .9rem 1rem;
  margin: 0 0 1rem }
.passed { border-left-color: var(--passed) } .pending { border-left-color: var(--pending) }
.held { border-left-color: var(--held) } .failed { border-left-color: var(--failed) }
.superseded { border-left-color: var(--superseded) }
.badge { font-size: .95rem; font-weight: 600 }
.badge.passed, .said.passed { color: var(--passed) } .badge.pending, .said.pending { color: var(--pending) }
.badge.held, .said.held { color: var(--held) } .badge.failed, .said.failed { color: var(--failed) }
.badge.superseded, .said.superseded { color: var(--superseded) }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem } dt { color: var(--quiet) }
dd { margin: 0 }
code, pre { font: .85rem/1.45 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace }
pre { background: var(--card); border: 1px solid var(--edge); border-radius: .4rem;
  padding: .75rem; overflow: auto; max-height: 30rem; margin: .5rem 0 }
table { width: 100%; border-collapse: collapse; margin: 0 0 1rem; font-size: .92rem }
caption { text-align: left; color: var(--quiet); padding: .25rem 0 }
th, td { text-align: left; vertical-align: top; padding: .4rem .6rem .4rem 0; border-top: 1px solid var(--edge) }
tbody th { font-weight: 400 } thead th, .evidence td:nth-child(n+4) { white-space: nowrap; overflow-wrap: normal }
.sides { table-layout: fixed } .sides thead th:first-child { width: 6.5rem } .sides code { font-size: .78rem }
.times tbody th, .times td:nth-child(2) { white-space: nowrap }
summary { cursor: pointer; padding: .3rem 0 } details details { margin-left: 1rem }
.lane { display: grid; grid-template-columns: 6.5rem 1fr; gap: .75rem; align-items: center; margin: .2rem 0 }
.lane svg { width: 100%; height: 1.25rem; background: var(--card); border-radius: .2rem; display: block }
.scale { display: flex; justify-content: space-between; color: var(--quiet); font-size: .85rem }
.bar.passed { fill: var(--passed) } .bar.pending { fill: var(--pending) } .bar.failed { fill: var(--failed) }
.bar.superseded { fill: var(--superseded) } .bar.held { fill: var(--card); stroke: var(--held); stroke-width: 2;
  stroke-dasharray: 5 3; vector-effect: non-scaling-stroke }
@media (max-width: 44rem) {
  dl { grid-template-columns: 1fr; gap: 0 } dd { margin-bottom: .5rem }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
  tr { display: block; border-top: 1px solid var(--edge); padding: .4rem 0 }
  tbody th, td { display: block; border: 0; padding: .1rem 0 }
  [data-head]::before { content: attr(data-head) ": "; color: var(--quiet) }
  .lane { grid-template-columns: 1fr; gap: .1rem; margin: .4rem 0 } .lane > span:empty { display: none }
}
@media print { pre { max-height: none } }
"""
