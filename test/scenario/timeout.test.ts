import t from 'tap';
import { findQuickFixes } from '../../src/scenario/quick-fixes.ts';
import { applyEdit } from './apply-edit.ts';
import { buildScenarioText, codes, parseValid, read } from './samples.ts';

t.test('a timeout is a number of seconds from 1 to 600, and 30 without the section', async (t) => {
  t.equal(parseValid(buildScenarioText()).timeoutMs, 30_000);
  for (const [timeout, ms] of [
    ['1s', 1000],
    ['600s', 600_000],
    ['- 45s', 45_000],
    ['`5s`', 5000],
    ['<!-- slow -->\n\n  7s  ', 7000],
  ] as const) {
    t.equal(parseValid(buildScenarioText({ timeout })).timeoutMs, ms, timeout);
  }
});

t.test('everything else is refused with the correct form as the fix', async (t) => {
  const cure = (timeout: string): string | undefined => {
    const { diagnostics } = read(buildScenarioText({ timeout }));
    t.same(
      diagnostics.map(({ code }) => code),
      ['SCENARIO_TIMEOUT_INVALID'],
      timeout,
    );
    return diagnostics[0]?.cure;
  };
  for (const [timeout, right] of [
    ['30', '30s'],
    ['30 s', '30s'],
    ['30 seconds', '30s'],
    ['2m', '120s'],
    ['2 minutes', '120s'],
    ['1500ms', '2s'],
    ['0s', '1s'],
    ['601s', '600s'],
    ['1h', '30s'],
    ['soon', '30s'],
    ['', '30s'],
    ['1.5s', '30s'],
    ['-1s', '30s'],
    ['9999999999s', '30s'],
    ['10s\n20s', '30s'],
  ] as const) {
    t.equal(cure(timeout), `write \`${right}\``, timeout);
  }
  t.same(codes(buildScenarioText({ timeout: '```\n10s\n```' })), ['SCENARIO_TIMEOUT_INVALID']);
});

t.test('the problem is where the wrong time is, and its fix leaves a valid scenario', async (t) => {
  for (const [timeout, marked, fixedMs] of [
    ['2m', '2m', 120_000],
    ['- 2m', '2m', 120_000],
    ['- ', '- ', 30_000],
    ['', '## TIMEOUT', 30_000],
    ['<!-- slow -->', '## TIMEOUT', 30_000],
    ['10s\n20s', '10s\n20s', 30_000],
    ['```\n10s\n```', '```\n10s\n```', 30_000],
  ] as const) {
    const text = buildScenarioText({ timeout, more: '## CLEANUP\n\nNothing to undo.' });
    const [diagnostic] = read(text).diagnostics;
    const range = diagnostic?.range;
    t.equal(text.slice(range?.start.offset, range?.end.offset), marked, timeout);
    const [fix] = diagnostic ? findQuickFixes(text, diagnostic) : [];
    t.equal(fix && parseValid(applyEdit(text, fix.edit)).timeoutMs, fixedMs, timeout);
  }
});
