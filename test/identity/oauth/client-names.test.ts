/** Names that programs may have. */
import t from 'tap';
import { nameProblem } from '../../../src/identity/oauth/client-names.ts';

const good = [
  'Claude',
  'Visual Studio Code',
  'MCP CLI Proxy (0.1)',
  'Café 3',
  'Редактор',
  'エディタ',
  '编辑器',
  'Ελληνικά',
  'Tool™',
  "Ana's agent: 2",
  'VPN tools',
  'MVP',
  'My vp tools',
  'vp hub',
  'Unverified notes',
];
const bad: readonly (readonly [name: string, problem: RegExp])[] = [
  ['', /blanks/],
  [' Claude', /blanks/],
  ['Claude  Code', /blanks/],
  ['Cla\u200bude', /not seen/],
  ['Cla\u00adude', /not seen/],
  ['\u202eedualC', /not seen/],
  ['Claude\u2066x\u2069', /not seen/],
  ['Claude\nAllow it', /not seen/],
  ['Claude\u0000', /not seen/],
  ['Claude\u00a0Code', /not seen/],
  ['Claude\u3164', /not seen/],
  ['Claude\ue000', /not seen/],
  ['Clаude', /mixes/],
  ['Clαude', /mixes/],
  ['сора', /look like others/],
  ['Ｃｌａｕｄｅ', /look like others/],
  ['𝐂laude', /look like others/],
  ['Z\u0335\u0336\u0337algo', /marks/],
  ['!!!', /letters/],
  ['x'.repeat(81), /80/],
  ['VP on the command line', /our own/],
  ['vp  on the command line', /blanks/],
  ['VP', /our own/],
  ['v-p', /our own/],
  ['vp-cli', /our own/],
  ['vp-tools', /our own/],
  ['vp control plane', /our own/],
  ['v-p control plane', /our own/],
  ['VP Hub Service', /our own/],
  ['vp hub 2', /our own/],
  ['\u1d20p', /look like others/],
  ['C\u029faude', /look like others/],
  ['\ua4e6\ua4d1', /our own/],
  ['\u13d9\u13e2', /our own/],
  ['\ua4da\ua4e1\ua4ee\ua4f4\ua4d3\ua4f0', /look like others/],
  ['Claude (verified)', /speaks of a check/],
  ['Claude \u2713', /speaks of a check/],
  ['https://claude.ai', /an address/],
  ['claude.ai/x', /an address/],
  ['www.claude.ai', /an address/],
];

t.test('names in any language are taken as they are', async (t) => {
  for (const name of good) t.equal(nameProblem(name), undefined, name);
});

t.test('names that hide something, or pass for another, are refused with the reason', async (t) => {
  for (const [name, problem] of bad) t.match(nameProblem(name) ?? 'none', problem, JSON.stringify(name));
});
