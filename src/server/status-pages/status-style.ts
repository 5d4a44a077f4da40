import { createHash } from 'node:crypto';

/** Colour means a result and nothing else; each result has a sign and a word too. */
export const statusStyle = `
:root { color-scheme: light dark; --page: #fff; --card: #f6f7f8; --line: #d8dce0; --text: #1b1f24; --quiet: #545e69;
  --good: #14713a; --bad: #b3261e; --warn: #7f5300; --focus: #1a5fb4; }
@media (prefers-color-scheme: dark) { :root { --page: #14171a; --card: #1c2024; --line: #343a41; --text: #e4e7ea;
  --quiet: #a3adb7; --good: #5fce8a; --bad: #ff8a80; --warn: #f0b95a; --focus: #8ab8ff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 52rem; padding: 2rem 1.25rem; background: var(--page); color: var(--text);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p { margin: .3rem 0; } a { color: inherit; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
.state { padding: 1rem 1.1rem; border: 1px solid var(--line); border-left: 6px solid currentColor; border-radius: 8px; background: var(--card); }
.state p { color: var(--text); } .state .word { color: inherit; font-size: 1.25rem; font-weight: 650; margin: 0; }
.quiet { color: var(--quiet); } .passing { color: var(--good); } .failing { color: var(--bad); }
.incomplete, .not_judged { color: var(--warn); } .stale, .not_run, .no_runs { color: var(--quiet); }
table { border-collapse: collapse; width: 100%; }
th { text-align: left; font-weight: 600; color: var(--quiet); font-size: .875rem; }
th, td { padding: .45rem .8rem .45rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td:first-child { width: 45%; } td:not(:first-child) { white-space: nowrap; }
ul { margin: 0; padding: 0; list-style: none; } li { padding: .45rem 0; border-bottom: 1px solid var(--line); }
footer { margin-top: 2rem; font-size: .875rem; }
@media (max-width: 40rem) { body { padding: 1.25rem 1rem; } thead { position: absolute; clip-path: inset(50%); }
  table, tbody, tr, td { display: block; } tr { padding: .5rem 0; border-bottom: 1px solid var(--line); }
  td, td:first-child { width: auto; padding: 0; border: 0; } td:not(:first-child) { white-space: normal; }
  td[data-label]::before { content: attr(data-label) ": "; color: var(--quiet); } }
@media print { body { padding: 0; } }
`;

const styleHash = createHash('sha256').update(statusStyle).digest('base64');

/** This style and nothing else: no script, request, image, form or frame. */
export const statusPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${styleHash}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
