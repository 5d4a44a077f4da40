/** The validation of client names. */
import t from 'tap';
import { findNameProblem } from '../../../../src/identity/oauth/clients/client-names.ts';

const validNames = [
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
const invalidNames: readonly (readonly [name: string, problem: RegExp])[] = [
  ['', /extra spaces/],
  [' Claude', /extra spaces/],
  ['Claude  Code', /extra spaces/],
  ['Cla\u200bude', /invisible/],
  ['Cla\u00adude', /invisible/],
  ['\u202eedualC', /invisible/],
  ['Claude\u2066x\u2069', /invisible/],
  ['Claude\nAllow it', /invisible/],
  ['Claude\u0000', /invisible/],
  ['Claude\u00a0Code', /invisible/],
  ['Claude\u3164', /invisible/],
  ['Claude\ue000', /invisible/],
  ['Clаude', /mixes/],
  ['Clαude', /mixes/],
  ['сора', /imitate others/],
  ['Ｃｌａｕｄｅ', /imitate others/],
  ['𝐂laude', /imitate others/],
  ['Z\u0335\u0336\u0337algo', /marks/],
  ['!!!', /letters/],
  ['x'.repeat(81), /80/],
  ['VP on the command line', /is reserved/],
  ['vp  on the command line', /extra spaces/],
  ['VP', /is reserved/],
  ['v-p', /is reserved/],
  ['vp-cli', /is reserved/],
  ['vp-tools', /is reserved/],
  ['vp control plane', /is reserved/],
  ['v-p control plane', /is reserved/],
  ['VP Hub Service', /is reserved/],
  ['vp hub 2', /is reserved/],
  ['\u1d20p', /imitate others/],
  ['C\u029faude', /imitate others/],
  ['\ua4e6\ua4d1', /is reserved/],
  ['\u13d9\u13e2', /is reserved/],
  ['\ua4da\ua4e1\ua4ee\ua4f4\ua4d3\ua4f0', /imitate others/],
  ['Claude (verified)', /claims to be verified/],
  ['Claude \u2713', /claims to be verified/],
  ['https://claude.ai', /a URL/],
  ['claude.ai/x', /a URL/],
  ['www.claude.ai', /a URL/],
];

t.test('names in any language are accepted', async (t) => {
  for (const name of validNames) t.equal(findNameProblem(name), undefined, name);
});

t.test('names that hide or imitate something are rejected with the reason', async (t) => {
  for (const [name, problem] of invalidNames) t.match(findNameProblem(name) ?? 'none', problem, JSON.stringify(name));
});
