import t from 'tap';
import { StaleJournal } from './stale-journal.ts';

const request = 'tr-20261120T143019524-a1b2c3d4 DELETE /items/7';

/** A request of the cleanup has arrived after `prepare`. */
function openArrived(prepare: (journal: StaleJournal) => void): StaleJournal {
  const journal = new StaleJournal();
  journal.recordStart('executor-0');
  prepare(journal);
  t.ok(journal.recordArrival('executor-0', request));
  return journal;
}

function announce(journal: StaleJournal): void {
  journal.recordWelcome('executor-0');
  journal.recordAnnouncement('executor-0');
  journal.recordAnswer('executor-0');
}

t.test('a request of the cleanup that was announced must not arrive again', async (t) => {
  const journal = openArrived(announce);
  t.notOk(journal.recordArrival('executor-0', request), 'the folder is as it was');
  const returned = openArrived(announce);
  returned.recordOlderFolder('executor-0');
  t.notOk(returned.recordArrival('executor-0', request), 'an older folder is recognized');
});

t.test('one that was not announced must not either, while the control plane answers', async (t) => {
  const journal = openArrived((journal) => journal.recordWelcome('executor-0'));
  journal.recordOlderFolder('executor-0');
  t.notOk(journal.recordArrival('executor-0', request));
});

t.test('it may arrive again from an older folder where the control plane did not answer', async (t) => {
  const unreached = openArrived(() => {});
  unreached.recordOlderFolder('executor-0');
  t.ok(unreached.recordArrival('executor-0', request), 'not since the start');
  const unanswered = openArrived((journal) => {
    journal.recordWelcome('executor-0');
    journal.recordAnnouncement('executor-0');
  });
  t.notOk(unanswered.recordArrival('executor-0', request), 'the folder is as it was');
  unanswered.recordOlderFolder('executor-1');
  t.notOk(unanswered.recordArrival('executor-0', request), 'the folder of another one');
  unanswered.recordOlderFolder('executor-0');
  t.ok(unanswered.recordArrival('executor-0', request));
});

t.test('it may arrive again where both stores went back', async (t) => {
  const journal = openArrived(announce);
  journal.recordOlderControl();
  t.notOk(journal.recordArrival('executor-0', request), 'one of them');
  journal.recordOlderControl();
  journal.recordOlderFolder('executor-0');
  t.ok(journal.recordArrival('executor-0', request));
});

t.test('other requests are judged elsewhere', async (t) => {
  t.notOk(new StaleJournal().recordArrival('executor-0', 'tr-20261120T143019524-a1b2c3d4 POST /session'));
});
