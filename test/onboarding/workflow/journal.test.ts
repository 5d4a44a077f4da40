/** The journal and the transcript: atomic, and without secrets. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import { systemRandom } from '../../../src/environment/random.ts';
import {
  findKitFolder,
  forgetKitFolder,
  getDefaultKitFolder,
  saveKitFolder,
} from '../../../src/onboarding/kit/kit-paths.ts';
import { toWriteError, writeOnboardingFile } from '../../../src/onboarding/onboarding-file.ts';
import {
  getJournalPath,
  type JournalFacts,
  JournalWriter,
  readJournal,
} from '../../../src/onboarding/workflow/journal.ts';
import { getTranscriptPath, openTranscript } from '../../../src/onboarding/workflow/transcript.ts';

const environment = { clock: systemClock, random: systemRandom };

function createFolder(t: Test): string {
  const folderPath = mkdtempSync(join(tmpdir(), 'vp-journal-'));
  t.teardown(() => rmSync(folderPath, { recursive: true, force: true }));
  return folderPath;
}

const facts: JournalFacts = {
  ...{ instance_id: 'shop', asked_id: 'shop', control_plane: 'http://127.0.0.1:7700', image: 'vp:v0.4.0-slim' },
  ...{ product_dir: '/p', test_dir: '/t', compose_project: 'shop', network: 'shop', registered: false },
};

t.test('nothing is written before a step starts', async (t) => {
  const kit = join(createFolder(t), 'kit');
  const journal = new JournalWriter(environment);
  await journal.finish('preflight', 'fine');
  journal.attach(kit, facts, undefined);
  await journal.finish('image', 'here');
  t.notOk(existsSync(kit));
  await journal.start('registration');
  t.match(await readJournal(kit), { in_hand: 'registration', finished: [{ step: 'preflight' }, { step: 'image' }] });
  t.equal(statSync(getJournalPath(kit)).mode & 0o777, 0o600);
});

t.test('a killed run leaves its current step for the next run', async (t) => {
  const kit = createFolder(t);
  const first = new JournalWriter(environment);
  first.attach(kit, facts, undefined);
  await first.start('router');
  const second = new JournalWriter(environment);
  second.attach(kit, facts, await readJournal(kit));
  t.equal(second.currentStep, 'router');
  await second.finish('router', 'started');
  await second.updateFacts({ registered: true });
  t.match(await readJournal(kit), { in_hand: null, facts: { registered: true }, finished: [{ step: 'router' }] });
  await second.start('router');
  await second.discard('router');
  t.match(await readJournal(kit), { in_hand: null, finished: [] });
});

t.test('an unreadable journal is reported', async (t) => {
  const kit = createFolder(t);
  t.equal(await readJournal(kit), undefined);
  t.equal(await readJournal(join(kit, 'none', 'below')), undefined);
  writeFileSync(getJournalPath(kit), '{"version":1');
  await t.rejects(readJournal(kit), { code: 'JOURNAL_UNREADABLE', cure: /remove it/ });
});

t.test('an unwritable folder is reported', async (t) => {
  const parentFolder = createFolder(t);
  writeFileSync(join(parentFolder, 'file'), '');
  const file = join(parentFolder, 'file', 'journal.json');
  await t.rejects(writeOnboardingFile(file, 'x', systemRandom), { code: 'KIT_UNWRITABLE', message: /journal\.json/ });
});

t.test('a full disk is reported as that', async (t) => {
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC', syscall: 'write', errno: -28 });
  t.match(toWriteError('journal.json', full), { code: 'KIT_DISK_FULL', cure: /^free space there/ });
  const fault = new TypeError('a fault of ours');
  t.equal(toWriteError('journal.json', fault), fault);
});

t.test('the path of a kit elsewhere is saved until it is forgotten', async (t) => {
  const paths = { data: createFolder(t) };
  t.equal(await findKitFolder(paths, 'shop'), getDefaultKitFolder(paths, 'shop'));
  await saveKitFolder(paths, 'shop', '/somewhere/kit', systemRandom);
  t.equal(await findKitFolder(paths, 'shop'), '/somewhere/kit');
  await forgetKitFolder(paths, 'shop');
  t.notOk(existsSync(join(paths.data, 'kits')));
  t.equal(await findKitFolder(paths, 'shop'), getDefaultKitFolder(paths, 'shop'));
});

t.test('the transcript has the buffered lines and no sign-in secrets', async (t) => {
  const file = getTranscriptPath({ data: createFolder(t) }, 'shop');
  const transcript = openTranscript({ nowMs: () => Date.parse('2026-11-20T14:30:12.345Z') });
  transcript.event({ event: 'step_started', step: 'preflight' });
  transcript.event({
    event: 'open',
    url: 'http://127.0.0.1:7700/oauth/auth?state=secret-state',
    user_code: 'ABCD-EFGH',
  });
  transcript.attach(file);
  transcript.write('two\nlines');
  const text = readFileSync(file, 'utf8');
  t.match(text, /^2026-11-20T14:30:12\.345Z preflight: started\n/);
  t.notMatch(text, /secret-state|ABCD/);
  t.match(text, /Z two lines\n$/);
  t.equal(statSync(file).mode & 0o777, 0o600);
});

t.test('an unwritable transcript stops nothing', async (t) => {
  const parentFolder = createFolder(t);
  chmodSync(parentFolder, 0o700);
  writeFileSync(join(parentFolder, 'transcripts'), 'in the way');
  const transcript = openTranscript(systemClock);
  transcript.attach(getTranscriptPath({ data: parentFolder }, 'shop'));
  t.doesNotThrow(() => transcript.write('line'));
});
