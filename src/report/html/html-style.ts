/** Colour means result and nothing else; each result also has a sign and a word. */
export const htmlStyle = `
:root { color-scheme: light dark; --page: #fff; --card: #f6f7f8; --line: #d8dce0; --text: #1b1f24; --quiet: #5b6570;
  --good: #14713a; --bad: #b3261e; --warn: #8a5a00; --mark: #fde7e5; }
@media (prefers-color-scheme: dark) { :root { --page: #14171a; --card: #1c2024; --line: #343a41; --text: #e4e7ea;
  --quiet: #9aa4ae; --good: #5fce8a; --bad: #ff8a80; --warn: #f0b95a; --mark: #4a2320; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 1.5rem; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.35rem; margin: 0 0 .25rem; } h2 { font-size: 1rem; margin: 1.2rem 0 .4rem; }
p { margin: .3rem 0; } a { color: inherit; }
code, pre, .mono { font: 13px/1.5 ui-monospace, "SFMono-Regular", Menlo, Consolas, monospace; }
pre { margin: .4rem 0; padding: .6rem .8rem; border: 1px solid var(--line); border-radius: 6px; background: var(--page);
  overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
pre mark { background: var(--mark); color: inherit; font-weight: 600; }
.quiet { color: var(--quiet); } .passed { color: var(--good); } .failed { color: var(--bad); }
.broken, .cancelled, .unfinished { color: var(--warn); }
details.run { margin: .6rem 0; border: 1px solid var(--line); border-radius: 8px; background: var(--card); }
details.run > summary { padding: .55rem .9rem; cursor: pointer; display: flex; gap: .8rem; flex-wrap: wrap; }
details.run > summary .id { font-weight: 600; } details.run > summary .facts { margin-left: auto; }
.inside { padding: 0 .9rem .9rem; } .message { font-weight: 600; }
.found { border-left: 3px solid var(--bad); padding-left: .8rem; margin: .8rem 0; }
table { border-collapse: collapse; width: 100%; } th { text-align: left; font-weight: 600; }
th, td { padding: .2rem .6rem .2rem 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
.facts th { width: 11rem; }
.number { text-align: right; width: 3rem; font-variant-numeric: tabular-nums; white-space: nowrap; }
.bar { display: flex; height: .7rem; border-radius: 4px; overflow: hidden; background: var(--line); }
.bar i { display: block; min-width: 1px; } .bar .a { background: #8a96a3; } .bar .b { background: #6d8fb5; }
.bar .c { background: #4a72a0; } .bar .d { background: #9db4cc; }
`;
