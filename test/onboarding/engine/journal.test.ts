/** The journal and the transcript: what is kept, whole or not at all, and without secrets. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import { systemRandom } from '../../../src/environment/random.ts';
import { type JournalFacts, journalFile, OpenJournal, readJournal } from '../../../src/onboarding/engine/journal.ts';
import { forgetKit, knownKit, rememberKit, usualKit } from '../../../src/onboarding/engine/kit.ts';
import { openTranscript, transcriptFile } from '../../../src/onboarding/engine/transcript.ts';
import { writeWhole } from '../../../src/onboarding/engine/whole-file.ts';

const environment = { clock: systemClock, random: systemRandom };

function folder(t: Test): string {
  const made = mkdtempSync(join(tmpdir(), 'vp-journal-'));
  t.teardown(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

const facts: JournalFacts = {
  ...{ instance_id: 'shop', asked_id: 'shop', control_plane: 'http://127.0.0.1:7700', image: 'vp:v0.4.0-slim' },
  ...{ product_dir: '/p', test_dir: '/t', compose_project: 'shop', network: 'shop', registered: false },
};

t.test('nothing is written before something is begun', async (t) => {
  const kit = join(folder(t), 'kit');
  const journal = new OpenJournal(environment);
  await journal.finish('preflight', 'fine');
  journal.settle(kit, facts, undefined);
  await journal.finish('image', 'here');
  t.notOk(existsSync(kit));
  await journal.begin('registration');
  t.match(await readJournal(kit), { in_hand: 'registration', finished: [{ step: 'preflight' }, { step: 'image' }] });
  t.equal(statSync(journalFile(kit)).mode & 0o777, 0o600);
});

t.test('a killed run leaves its step in hand for the next one', async (t) => {
  const kit = folder(t);
  const first = new OpenJournal(environment);
  first.settle(kit, facts, undefined);
  await first.begin('router');
  const second = new OpenJournal(environment);
  second.settle(kit, facts, await readJournal(kit));
  t.equal(second.inHand, 'router');
  await second.finish('router', 'started');
  await second.put({ registered: true });
  t.match(await readJournal(kit), { in_hand: null, facts: { registered: true }, finished: [{ step: 'router' }] });
  await second.begin('router');
  await second.drop('router');
  t.match(await readJournal(kit), { in_hand: null, finished: [] });
});

t.test('a journal that cannot be read says so', async (t) => {
  const kit = folder(t);
  t.equal(await readJournal(kit), undefined);
  t.equal(await readJournal(join(kit, 'none', 'below')), undefined);
  writeFileSync(journalFile(kit), '{"version":1');
  await t.rejects(readJournal(kit), { code: 'JOURNAL_UNREADABLE', cure: /remove it/ });
});

t.test('a folder that cannot be written to is named', async (t) => {
  const place = folder(t);
  writeFileSync(join(place, 'file'), '');
  const file = join(place, 'file', 'journal.json');
  await t.rejects(writeWhole(file, 'x', systemRandom), { code: 'KIT_UNWRITABLE', message: /journal\.json/ });
});

t.test('a kit elsewhere is remembered until it is forgotten', async (t) => {
  const paths = { data: folder(t) };
  t.equal(await knownKit(paths, 'shop'), usualKit(paths, 'shop'));
  await rememberKit(paths, 'shop', '/somewhere/kit', systemRandom);
  t.equal(await knownKit(paths, 'shop'), '/somewhere/kit');
  await forgetKit(paths, 'shop');
  t.notOk(existsSync(join(paths.data, 'kits')));
  t.equal(await knownKit(paths, 'shop'), usualKit(paths, 'shop'));
});

t.test('the transcript has what came before its place was known, and no sign-in secrets', async (t) => {
  const file = transcriptFile({ data: folder(t) }, 'shop');
  const transcript = openTranscript({ nowMs: () => Date.parse('2026-11-20T14:30:12.345Z') });
  transcript.event({ event: 'step_started', step: 'preflight' });
  transcript.event({
    event: 'open',
    url: 'http://127.0.0.1:7700/oauth/auth?state=secret-state',
    user_code: 'ABCD-EFGH',
  });
  transcript.settle(file);
  transcript.write('two\nlines');
  const text = readFileSync(file, 'utf8');
  t.match(text, /^2026-11-20T14:30:12\.345Z preflight: started\n/);
  t.notMatch(text, /secret-state|ABCD/);
  t.match(text, /Z two lines\n$/);
  t.equal(statSync(file).mode & 0o777, 0o600);
});

t.test('a disk that takes no transcript stops nothing', async (t) => {
  const place = folder(t);
  chmodSync(place, 0o700);
  writeFileSync(join(place, 'transcripts'), 'in the way');
  const transcript = openTranscript(systemClock);
  transcript.settle(transcriptFile({ data: place }, 'shop'));
  t.doesNotThrow(() => transcript.write('line'));
});
