import t from 'tap';
import { findUnknownTools, formatUnknownTool } from '../../../src/hub/policy/unknown-tools.ts';

const connections = [
  { name: 'weather', tools: ['forecast', 'wipe'] },
  { name: 'fresh', tools: [] },
];
const find = (deny: string[], current: string[] = []) =>
  findUnknownTools({ roles: { viewer: { deny } } }, { roles: { viewer: { deny: current } } }, connections);

t.test('a tool that no connection offers is unknown, and so is a pattern of an unknown connection', async (t) => {
  t.same(find(['weather__wipe', 'weather__wype', 'wether__*', 'mail__send', 'wipe']), [
    'weather__wype',
    'wether__*',
    'mail__send',
    'wipe',
  ]);
});

t.test('patterns for tools to come, and tools of a server that was never listed, are accepted', async (t) => {
  t.same(find(['*', '*delete*', 'weather__get_*', 'weather*', 'fresh__anything']), []);
});

t.test('resources are named by their URI, and need not be listed', async (t) => {
  t.same(find(['weather__file:///a.txt', 'mail__file:///a.txt']), ['mail__file:///a.txt']);
});

t.test('what the present policy already names is not in question again', async (t) => {
  t.same(find(['mail__send', 'mail__sent'], ['mail__send']), ['mail__sent']);
});

t.test('argument rules, limits and rules for callers count too', async (t) => {
  const document = {
    callers: [{ people: ['Max'], allow: ['mail__read'] }],
    arguments: [{ tools: 'mail__send', schema: {} }],
    limits: [{ per: 'tool' as const, tools: 'mail__list' }, { per: 'person' as const }],
  };
  t.same(findUnknownTools(document, {}, connections), ['mail__read', 'mail__send', 'mail__list']);
});

t.test('the tool or connection that was probably meant is named', async (t) => {
  t.equal(formatUnknownTool('weather__wype', connections), 'weather__wype (did you mean weather__wipe?)');
  t.equal(formatUnknownTool('wether__*', connections), 'wether__* (did you mean weather__*?)');
  t.equal(formatUnknownTool('mail__send', connections), 'mail__send');
});
