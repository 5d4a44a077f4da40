/**
 * What a run does with a body of 10 MB once it has its bytes (parse, judge, redact, shorten for people), in this process,
 * against JSON.parse of the same text. Once with checks that pass, once with checks that fail and must say what they saw.
 */

import { createRedactor } from '../../src/executor/redaction/redactor.ts';
import { readResponse } from '../../src/executor/response/read-response.ts';
import { judge } from '../../src/judge/judge.ts';
import type { Timings } from '../../src/run/evidence.ts';
import { parseScenario } from '../../src/scenario/parse.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { apiToken, type BenchContext, exampleScenarios } from './bench-context.ts';
import { inTurns, median, series, timed } from './measure.ts';
import type { Row } from './row.ts';

const bodyBytes = 10_000_000;
const timings: Timings = { connectMs: 1, firstByteMs: 2, bodyMs: 3, totalMs: 3 };

/** A page of documents of nearly {@link bodyBytes}. */
function largeBody(): { bytes: Buffer; last: number } {
  const row = (index: number) => ({
    id: `document-${index}`,
    title: `Lease of flat ${index}`,
    pages: index % 40,
    folderId: null,
  });
  const length = JSON.stringify(row(111_111)).length + 1;
  const count = Math.floor(bodyBytes / length);
  const data = Array.from({ length: count }, (_, index) => row(index));
  const page = { data, count, currentPage: 1, perPage: count, totalPages: 1 };
  return { bytes: Buffer.from(JSON.stringify(page)), last: count - 1 };
}

/** The example's first scenario with its five body checks exchanged for others. */
function scenarioWith(checks: readonly string[]): Scenario {
  const text = exampleScenarios()[0]?.text.replaceAll(/^- body .*\n/gm, '') ?? '';
  const changed = text.replace('- status=200\n', `- status=200\n${checks.map((check) => `- ${check}\n`).join('')}`);
  const problems: string[] = [];
  const scenario = parseScenario(changed, { variables: 'any' }, ({ message }) => problems.push(message));
  if (scenario) return scenario;
  throw new Error(problems.join('\n'));
}

async function judged(bytes: Buffer, scenario: Scenario, result: 'passed' | 'failed'): Promise<void> {
  const head = { status: 200, headers: [['content-type', 'application/json']] as const };
  const observation = { head, bytes, failure: undefined, surplusBytes: 0, timings };
  const { response, failure } = await readResponse(observation, 'http://target', createRedactor([apiToken]));
  const verdict = judge(scenario, { startedAtMs: 0, request: undefined, response, failure, timings });
  if (verdict.result !== result) throw new Error(`the large body ${verdict.result}`);
}

/** Two rows. */
export async function largeBodies({ quick }: BenchContext): Promise<Row[]> {
  const { bytes, last } = largeBody();
  const passing = scenarioWith([
    'body has data',
    'body has count matching ^[0-9]+$',
    `body has data[${last}].title matching ^Lease`,
    `body has data[${last}].id matching ^document-`,
    'body has totalPages matching ^[0-9]+$',
  ]);
  const failing = scenarioWith(['body has data matching ^$', 'body has missing', 'body has data[0].absent']);
  const ofPassing = series(() => timed(() => judged(bytes, passing, 'passed')));
  const ofFailing = series(() => timed(() => judged(bytes, failing, 'failed')));
  const ofParse = series(() => timed(async () => JSON.parse(bytes.toString('utf8'))));
  await inTurns(quick ? 3 : 15, [ofPassing, ofFailing, ofParse], 2);
  const floor = { what: '`JSON.parse`', value: median(ofParse.samples) };
  return [
    { measured: 'judging 10 MB of JSON', value: median(ofPassing.samples), unit: 'ms', floor },
    { measured: 'the same, every check failing', value: median(ofFailing.samples), unit: 'ms', floor },
  ];
}
