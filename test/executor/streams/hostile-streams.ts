/** Runs of streams whose targets break their protocols: each ends in its time, says why, and never passes. A file for each kind. */
import t, { type Test } from 'tap';
import type { Report } from '../../../src/report/report.ts';
import { embedFiles } from '../../../src/scenario/embedded-files.ts';
import { readProtoFile } from '../../targets/grpc-target.ts';
import type { HostileTarget } from '../../targets/hostile/behaviour.ts';
import {
  formatTrigger,
  type HostileStreamKind,
  hostileStreams,
  listReceiveChecks,
} from '../../targets/hostile/streams.ts';
import { behaveAs } from '../../targets/hostile/targets.ts';
import { startRawTarget } from '../../targets/raw-target.ts';
import { findFailureCode } from '../failure-code.ts';
import { createRunRequest, scenarioText } from '../test-project.ts';
import { createTestRunner } from '../test-runner.ts';

/**
 * Targets that only wait are met at the same time, so that their limit is waited for once; it is long enough for all of them to have sent
 * what they send first. Those that go on sending would take a core until then, and are met one after another.
 */
const limitS = { waiting: 3, sending: 1, other: 120 } as const;

const isWaiting = ({ isSilent, name }: HostileTarget): boolean => isSilent && /keeps silent|byte by byte/.test(name);

function getLimit(hostile: HostileTarget): number {
  if (!hostile.isSilent) return limitS.other;
  return isWaiting(hostile) ? limitS.waiting : limitS.sending;
}

async function run(t: Test, kind: HostileStreamKind, hostile: HostileTarget): Promise<Report> {
  const target = await startRawTarget(behaveAs(hostile, () => {}));
  const runner = createTestRunner(t, target);
  const seconds = getLimit(hostile);
  const text = scenarioText(formatTrigger(kind), listReceiveChecks(kind, seconds), seconds);
  return runner.execute(createRunRequest(embedFiles(text, readProtoFile)));
}

/** At least `minTargets`, with different names. */
export function testHostileStreams(kind: HostileStreamKind, minTargets: number): void {
  const targets = hostileStreams[kind];
  t.test(`there are at least ${minTargets} different ones`, async (t) => {
    t.equal(new Set(targets.map(({ name }) => name)).size, targets.length);
    t.ok(targets.length >= minTargets, `${targets.length}`);
  });
  let waitingRuns: ReadonlyMap<HostileTarget, Promise<Report>> | undefined;
  const runWaiting = (hostile: HostileTarget): Promise<Report> | undefined => {
    waitingRuns ??= new Map(targets.filter(isWaiting).map((each) => [each, run(t, kind, each)]));
    return waitingRuns.get(hostile);
  };
  for (const hostile of targets)
    t.test(`a target that ${hostile.name}`, async (t) => {
      const report = await (isWaiting(hostile) ? runWaiting(hostile) : run(t, kind, hostile));
      if (!report) throw new Error('it was not met');
      t.not(report.result, 'passed');
      const outcome = findFailureCode(report.failure) ?? report.checks.map(({ actual }) => actual).join('; ');
      t.match(outcome, hostile.outcome, report.failure?.message ?? outcome);
    });
}
