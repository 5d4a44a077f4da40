/** Colour means result and nothing else; each result also has a sign and a word. */
export const htmlStyle = `
:root { color-scheme: light dark; --page: #fff; --card: #f6f7f8; --line: #d8dce0; --text: #1b1f24; --quiet: #545e69;
  --good: #14713a; --bad: #b3261e; --warn: #7f5300; --mark: #fde7e5; --focus: #1a5fb4; }
@media (prefers-color-scheme: dark) { :root { --page: #14171a; --card: #1c2024; --line: #343a41; --text: #e4e7ea;
  --quiet: #a3adb7; --good: #5fce8a; --bad: #ff8a80; --warn: #f0b95a; --mark: #4a2320; --focus: #8ab8ff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 1.25rem; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.35rem; margin: 0 0 .25rem; } h2 { font-size: 1.05rem; margin: 1.4rem 0 .4rem; }
p { margin: .3rem 0; } a { color: inherit; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
code, pre, .mono { font: 13px/1.5 ui-monospace, "SFMono-Regular", Menlo, Consolas, monospace; }
pre { margin: .4rem 0; padding: .6rem .8rem; border: 1px solid var(--line); border-radius: 6px; background: var(--page);
  white-space: pre-wrap; overflow-wrap: anywhere; }
pre mark { background: var(--mark); color: inherit; font-weight: 600; }
.quiet { color: var(--quiet); } .passed { color: var(--good); } .failed { color: var(--bad); }
.broken, .cancelled, .unfinished { color: var(--warn); }
.bar-tools { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: .4rem 1rem; align-items: center;
  padding: .5rem 0; background: var(--page); border-bottom: 1px solid var(--line); }
fieldset { display: flex; flex-wrap: wrap; gap: .2rem .9rem; margin: 0; padding: 0; border: 0; }
legend { float: left; margin-right: .9rem; padding: 0; color: var(--quiet); }
label { white-space: nowrap; } #tools { display: flex; flex-wrap: wrap; gap: .4rem; align-items: center; flex: 1 1 16rem; }
#tools[hidden] { display: none; }
#search { flex: 1 1 9rem; min-width: 0; } input, button { font: inherit; color: inherit; }
#search, button { padding: .25rem .6rem; border: 1px solid var(--line); border-radius: 6px; background: var(--card); }
ol.index { margin: .3rem 0; padding-left: 1.6rem; } ol.index li { margin: .1rem 0; }
.run { margin: .5rem 0; border: 1px solid var(--line); border-radius: 8px; background: var(--card); scroll-margin-top: 4rem; }
summary { cursor: pointer; }
.run > summary, div.run { padding: .5rem .9rem; } .run > summary::marker { color: var(--quiet); }
.head { display: inline-flex; flex-wrap: wrap; gap: 0 .8rem; vertical-align: top; width: calc(100% - 1.4rem); }
.head .id { font-weight: 600; } .head .facts { margin-left: auto; } .head .reason { flex-basis: 100%; }
.inside { padding: 0 .9rem .9rem; } .message { font-weight: 600; }
.group > summary { font-size: 1.05rem; font-weight: 600; margin: 1.4rem 0 .4rem; }
.part { margin: .5rem 0; } .part > summary { font-weight: 600; }
.found { border-left: 3px solid var(--bad); padding-left: .8rem; margin: .8rem 0; }
table { border-collapse: collapse; width: 100%; } th { text-align: left; font-weight: 600; }
th, td { padding: .2rem .6rem .2rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
.facts th { width: 9rem; }
.number { text-align: right; width: 3rem; font-variant-numeric: tabular-nums; white-space: nowrap; }
.axis { position: relative; height: .7rem; margin-top: .35rem; overflow: hidden; background: var(--card); }
.axis i { position: absolute; height: 100%; min-width: 2px; background: var(--quiet); } .axis .bad { background: var(--bad); }
.unmatched { display: none; }
body:has(#filter-failed:checked) :is(.run, .index li):not(.is-failed),
body:has(#filter-broken:checked) :is(.run, .index li):not(.is-broken),
body:has(#filter-quarantined:checked) :is(.run, .index li):not(.is-quarantined),
body:has(#filter-unfinished:checked) :is(.run, .index li):not(.is-unfinished),
body:has(#filter-passed:checked) :is(.run, .index li):not(.is-passed) { display: none; }
@media (max-width: 40rem) { body { padding: .75rem; } #search { flex-basis: 100%; } .bar-tools { position: static; } .head .facts { margin-left: 0; flex-basis: 100%; }
  .run > summary, div.run { padding: .5rem .6rem; } .inside { padding: 0 .6rem .6rem; } .facts th { width: 5.5rem; }
  .number { width: 2rem; } th, td { padding-right: .4rem; } }
@media print { .bar-tools { display: none; } }
`;
