import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { command } from '../../command-line/command.ts';
import type { Environment } from '../../environment/environment.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { type AnchorFault, findAnchorFaults, findMissingFile } from '../../hub/audit/anchors.ts';
import { createChainKeys, getAuditFile, unsealAuditKey } from '../../hub/audit/audit-log.ts';
import {
  type AuditReadTransaction,
  type ChainVerdict,
  createFaultVerdict,
  verifyChains,
} from '../../hub/audit/verify-chains.ts';
import { loadMasterKey } from '../../secrets/master-key.ts';
import { findAuditChain, readAuditMeta } from '../../store/audit/chains.ts';
import { findAuditEntryMac } from '../../store/audit/entries.ts';
import {
  type AuditAnchorRow,
  type AuditLossRow,
  hasAuditAnchors,
  listAuditAnchors,
  listAuditLosses,
} from '../../store/control/audit-anchors.ts';
import { getControlStoreFile } from '../../store/control/control-store.ts';
import { controlStoreKind } from '../../store/control/schema/control-schema.ts';
import { openAuditReader, openStoreReader } from '../../store/engine.ts';
import { createProgress } from '../../terminal/progress.ts';
import { storeFolderFlag } from '../role-flags.ts';
import {
  formatStatements,
  type KnownStatements,
  readExpectedStatements,
  type StatementVerdict,
  toStatementDocument,
  verifyStatements,
} from './anchor-verification.ts';

/** `vp audit verify` reads the files of the control plane, even while it is running. */
export const auditVerifyCommand = command({
  name: 'audit verify',
  summary: 'find audit entries that were removed, altered or moved',
  positionals: [],
  flags: {
    ...storeFolderFlag,
    expect: {
      type: 'strings',
      placeholder: '<hub>@<seq>:<mac>',
      describe: 'chain end printed by an earlier verification: everything before it must be unchanged',
    },
    anchors: {
      type: 'string',
      placeholder: '<file>',
      describe:
        'statements of `vp audit anchor` or a `vp serve` with `--audit-anchor`, or a log with them: what they name must still be there',
    },
    'audit-key': {
      type: 'string',
      placeholder: '<key>',
      describe: 'with --anchors: the public key that must have signed every statement, as text or in a PEM file',
    },
  },
  examples: [
    ['vp audit verify', 'all hubs of this control plane, while `vp serve` is running'],
    ['vp audit verify --data /backup/vp', 'a backup with its master.key'],
    ['vp audit verify --expect acme@1200:5b2f…', 'also detects that the whole file was replaced since'],
    ['vp audit verify --anchors /mnt/elsewhere/anchors.jsonl', 'also detects what was rewritten with the master key'],
  ],
  notes: `Needs the master key (master.key of the data folder, or VP_MASTER_KEY): valid entries cannot be forged without it.
The chains must also contain what the store of the control plane (control.db) has noted of them: a file that was deleted, emptied or
replaced by an older one is detected. Keep the chain end that is printed for each hub: with it you detect that both were replaced.
Exit code 1: something was removed, altered, moved or cut off. With --json: {"chains": […], "losses": […], "anchors": {…}}.`,
  async run({ flags, json, environment }) {
    const { cwd, paths, streams, clock } = environment;
    const folder = resolve(cwd, flags.data ?? paths.data);
    const known = readKnownEnds(folder);
    const statements = readExpectedStatements(flags, cwd);
    const file = getAuditFile(folder);
    if (!existsSync(file)) {
      const stated = verifyStatements(statements, undefined, { nowMs: clock.nowMs(), usedBytes: 0 });
      return reportMissingFile(file, { known, statements, stated }, json, streams);
    }
    const reader = openAuditReader(file);
    const progress = createProgress(streams.stderr, clock);
    try {
      const read: AuditReadTransaction = (operation) => reader.read(operation);
      let verifiedCount = 0;
      const onVerified = (entries: number): void => {
        verifiedCount += entries;
        progress.update(`verifying, ${verifiedCount} entries`);
      };
      const chains = [...verifyChains(read, createChainKeys(loadAuditKey(read, folder, environment)), onVerified)];
      const lost = read((sql) => findAnchorFaults(sql, known.anchors)).map(toFaultVerdict);
      const context = { nowMs: clock.nowMs(), usedBytes: statSync(file).size };
      const stated = read((sql) => verifyStatements(statements, sql, context));
      const withSlug = (verdict: ChainVerdict): ChainVerdict => ({
        ...verdict,
        hub: chains.find(({ hubId }) => hubId === verdict.hubId)?.hub,
      });
      const verdicts = [
        ...chains,
        ...lost,
        ...stated.chains.map(withSlug),
        ...checkExpectedEnds(flags.expect, chains, read),
      ];
      progress.stop();
      const isIntact = stated.problems.length === 0 && verdicts.every(({ faults }) => faults.length === 0);
      streams.stdout.write(
        json
          ? formatJson(verdicts, { known, statements, stated })
          : `${formatVerdicts(verdicts, isIntact)}${formatKnownEnds(known)}${formatStatements(statements, stated)}`,
      );
      return isIntact ? exitCode.done : exitCode.checkFailed;
    } finally {
      progress.stop();
      reader.close();
    }
  },
});

type Expectations = {
  readonly known: KnownEnds;
  readonly statements: KnownStatements | undefined;
  readonly stated: StatementVerdict;
};

/** `isKnown` is false without a store of the control plane that could say what the audit must contain. */
type KnownEnds = {
  readonly isKnown: boolean;
  readonly anchors: readonly AuditAnchorRow[];
  readonly losses: readonly AuditLossRow[];
};

/** Read before the audit, which may go on meanwhile. */
function readKnownEnds(folder: string): KnownEnds {
  const file = getControlStoreFile(folder);
  if (!existsSync(file)) return { isKnown: false, anchors: [], losses: [] };
  const reader = openStoreReader(file, controlStoreKind);
  try {
    return reader.read((sql) =>
      hasAuditAnchors(sql)
        ? { isKnown: true, anchors: listAuditAnchors(sql), losses: listAuditLosses(sql) }
        : { isKnown: false, anchors: [], losses: [] },
    );
  } finally {
    reader.close();
  }
}

function toFaultVerdict({ hubId, hub, kind, seq, problem }: AnchorFault): ChainVerdict {
  return createFaultVerdict(hubId, hub, { kind, seq, problem });
}

/** Throws STORE_ABSENT if nothing says that there was an audit. */
function reportMissingFile(
  file: string,
  expected: Expectations,
  json: boolean,
  { stdout }: Environment['streams'],
): ExitCode {
  const { known, statements, stated } = expected;
  const verdicts = [...findMissingFile(known.anchors).map(toFaultVerdict), ...stated.chains];
  if (verdicts.length === 0) throw vpError('STORE_ABSENT', { file });
  const text = `${formatVerdicts(verdicts, false)}${formatStatements(statements, stated)}`;
  stdout.write(json ? formatJson(verdicts, expected) : text);
  return exitCode.checkFailed;
}

function formatJson(chains: readonly ChainVerdict[], { known, statements, stated }: Expectations): string {
  const { isKnown, losses } = known;
  const anchors = toStatementDocument(statements, stated);
  const accepted = losses.map(({ hub_id, slug, seq, problem, accepted_at_ms }) => ({
    ...{ hubId: hub_id, hub: slug, seq, problem },
    acceptedAt: new Date(accepted_at_ms).toISOString(),
  }));
  return `${JSON.stringify({ chains, compared: isKnown, losses: accepted, anchors }, null, 2)}\n`;
}

function formatKnownEnds({ isKnown, losses }: KnownEnds): string {
  const lines = losses.map(
    ({ hub_id, slug, problem, accepted_at_ms }) =>
      `! ${slug ?? hub_id}: a loss was accepted at ${new Date(accepted_at_ms).toISOString()}: ${problem}\n`,
  );
  const note = isKnown ? '' : 'not compared with control.db, which is not here or from an earlier version\n';
  return `${lines.join('')}${note}`;
}

function loadAuditKey(read: AuditReadTransaction, folder: string, { variables, random }: Environment): Uint8Array {
  const source = { file: join(folder, 'master.key'), variable: variables.VP_MASTER_KEY, mayCreate: false };
  const key = loadMasterKey(source, random);
  const sealed = read((sql) => readAuditMeta(sql, 'key'));
  if (!key || !sealed) throw vpError('STORE_KEY_MISSING', { folder });
  return unsealAuditKey(key, sealed, folder);
}

/** A verdict for each expected chain end that is missing or different. */
function checkExpectedEnds(
  expected: readonly string[],
  chains: readonly ChainVerdict[],
  read: AuditReadTransaction,
): ChainVerdict[] {
  return expected.flatMap((text) => {
    const [, hub, seqText, mac] = /^(.+)@(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
    if (hub === undefined || seqText === undefined)
      throw vpError('FLAG_INVALID', {
        command: 'vp audit verify',
        flag: '--expect',
        problem: `is not a chain end such as acme@1200:5b2f…: \`${text}\``,
      });
    const seq = Number(seqText);
    const chain = chains.find((candidate) => candidate.hub === hub || candidate.hubId === hub);
    const storedMac = chain && read((sql) => readMac(sql, chain.hubId, seq));
    if (storedMac === mac) return [];
    const problem = storedMac === undefined ? `entry ${seq} does not exist` : `entry ${seq} has another MAC`;
    return [createFaultVerdict(hub, hub, { kind: 'altered', seq, problem: `${problem}, unlike the expected end` })];
  });
}

function* formatUnsettled({ openCalls, unknownCalls }: ChainVerdict): Generator<string> {
  const calls = (count: number): string => (count === 1 ? '1 call was' : `${count} calls were`);
  if (openCalls > 0) yield `  · ${calls(openCalls)} started and not ended yet (vp audit search --outcome started)`;
  if (unknownCalls > 0)
    yield `  · ${calls(unknownCalls)} started, and the control plane ended before the outcome was recorded (--outcome unknown)`;
}

function readMac(
  sql: Parameters<Parameters<AuditReadTransaction>[0]>[0],
  hubId: string,
  seq: number,
): string | undefined {
  const chain = findAuditChain(sql, hubId);
  const mac = chain?.before_seq === seq ? chain.before_mac : chain && findAuditEntryMac(sql, chain.hub, seq);
  return mac && Buffer.from(mac).toString('hex');
}

function formatVerdicts(chains: readonly ChainVerdict[], isIntact: boolean): string {
  if (chains.length === 0) return 'the audit log is empty\n';
  const lines = chains.flatMap((chain) => {
    const { hub, hubId, entries, firstSeq, lastSeq, head, faults } = chain;
    const name = hub ?? hubId;
    const faultLines = faults.map(
      ({ kind, seq, problem }) => `  ✕ ${kind}${seq === undefined ? '' : ` ${seq}`}: ${problem}`,
    );
    const intactLine = `✓ ${name}: ${entries} entries, ${firstSeq} to ${lastSeq}; chain end ${name}@${lastSeq}:${head}`;
    const intactLines = [intactLine, ...formatUnsettled(chain)];
    return faults.length === 0 ? intactLines : [`✕ ${name}: the audit log was changed`, ...faultLines];
  });
  return `${lines.join('\n')}\n${isIntact ? '' : 'restore the audit log from a backup, and find out who could write to its file\n'}`;
}
