import { command } from '../../command-line/command.ts';
import type { Environment } from '../../environment/environment.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { type AnchorFault, findAnchorFaults, findMissingFile } from '../../hub/audit/anchors.ts';
import { createChainKeys } from '../../hub/audit/audit-log.ts';
import {
  type AuditReadTransaction,
  type ChainVerdict,
  createFaultVerdict,
  verifyChains,
} from '../../hub/audit/verify-chains.ts';
import { findAuditChain } from '../../store/audit/chains.ts';
import { findAuditEntryMac } from '../../store/audit/entries.ts';
import { createProgress } from '../../terminal/progress.ts';
import { databaseFlags, parseDatabase } from '../database-flags.ts';
import { storeFolderFlag } from '../role-flags.ts';
import {
  formatStatements,
  type KnownStatements,
  readExpectedStatements,
  type StatementVerdict,
  toStatementDocument,
  verifyStatements,
} from './anchor-verification.ts';
import { loadAuditKey } from './audit-key.ts';
import { type KnownEnds, type SchemaFault, withAuditSource } from './audit-source.ts';

/** `vp audit verify` reads the stores of the control plane, even while it is running. */
export const auditVerifyCommand = command({
  name: 'audit verify',
  summary: 'find audit entries that were removed, altered or moved',
  positionals: [],
  flags: {
    ...storeFolderFlag,
    database: databaseFlags.database,
    'database-file': databaseFlags['database-file'],
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
      describe: 'with --anchors: the public key that must have signed every statement, as text or in a file',
    },
    'audit-tsa-ca': {
      type: 'string',
      placeholder: '<file.pem>',
      describe: 'with --anchors: the roots that their time stamps must lead to',
    },
  },
  examples: [
    ['vp audit verify', 'all hubs of this control plane, while `vp serve` is running'],
    ['vp audit verify --data /backup/vp', 'a backup with its master.key'],
    ['vp audit verify --database-file /etc/vp/database', 'a control plane on PostgreSQL'],
    ['vp audit verify --expect acme@1200:5b2f…', 'also detects that the whole file was replaced since'],
    ['vp audit verify --anchors /mnt/elsewhere/anchors.jsonl', 'also detects what was rewritten with the master key'],
  ],
  notes: `Needs the master key (master.key of the data folder, or VP_MASTER_KEY): valid entries cannot be forged without it.
A trigger, a view or another object that vp does not create is reported: it could hide entries from searches.
The chains must also contain what the store of the control plane (control.db) has noted of them: a file that was deleted, emptied or replaced by an older one is detected. Keep the chain end that is printed for each hub: with it you detect that both were replaced.
Exit code 1: something was removed, altered, moved or cut off. With --json: {"chains": […], "losses": […], "anchors": {…}}.`,
  async run({ flags, json, environment }) {
    const { cwd, streams, clock } = environment;
    const statements = await readExpectedStatements(flags, cwd, clock.nowMs());
    const database = parseDatabase(flags, environment, 'vp audit verify')?.main;
    return await withAuditSource(flags.data, database, environment, async (source) => {
      const { content, known, folder, name } = source;
      const context = { nowMs: clock.nowMs(), usedBytes: content?.usedBytes ?? 0 };
      if (!content) {
        const stated = verifyStatements(statements, undefined, context);
        return reportMissingFile(name, { known, statements, stated }, json, streams);
      }
      const { read } = content;
      const progress = createProgress(streams.stderr, clock);
      try {
        let verifiedCount = 0;
        const onVerified = (entries: number): void => {
          verifiedCount += entries;
          progress.update(`verifying, ${verifiedCount} entries`);
        };
        const key = await loadAuditKey(read, folder, environment);
        const chains = await verifyChains(read, createChainKeys(key), onVerified);
        const lost = (await read((sql) => findAnchorFaults(sql, known.anchors))).map(toFaultVerdict);
        const stated = await read((sql) => verifyStatements(statements, sql, context));
        const withSlug = (verdict: ChainVerdict): ChainVerdict => ({
          ...verdict,
          hub: chains.find(({ hubId }) => hubId === verdict.hubId)?.hub,
        });
        const ends = await checkExpectedEnds(flags.expect, chains, read);
        const damage = await content.findDamage?.((share) =>
          progress.update(`comparing indexes, ${Math.round(share * 100)} %`),
        );
        const foreign = (await content.listSchemaFaults()).map(toSchemaVerdict);
        const damaged = damage === undefined ? [] : [toDamageVerdict(name, damage)];
        const verdicts = [...chains, ...lost, ...stated.chains.map(withSlug), ...ends, ...foreign, ...damaged];
        progress.stop();
        const isIntact = stated.problems.length === 0 && verdicts.every(({ faults }) => faults.length === 0);
        streams.stdout.write(
          json
            ? formatJson(verdicts, { known, statements, stated })
            : `${formatVerdicts(verdicts)}${formatKnownEnds(known)}${formatStatements(statements, stated)}`,
        );
        return isIntact ? exitCode.done : exitCode.checkFailed;
      } finally {
        progress.stop();
      }
    });
  },
});

type Expectations = {
  readonly known: KnownEnds;
  readonly statements: KnownStatements | undefined;
  readonly stated: StatementVerdict;
};

function toFaultVerdict({ hubId, hub, kind, seq, problem }: AnchorFault): ChainVerdict {
  return createFaultVerdict(hubId, hub, { kind, seq, problem });
}

function toSchemaVerdict({ file, problem }: SchemaFault): ChainVerdict {
  return createFaultVerdict(file, undefined, { kind: 'schema', seq: undefined, problem });
}

function toDamageVerdict(file: string, damage: string): ChainVerdict {
  return createFaultVerdict(file, undefined, { kind: 'altered', seq: undefined, problem: damage });
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
  const text = `${formatVerdicts(verdicts)}${formatStatements(statements, stated)}`;
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

/** A verdict for each expected chain end that is missing or different. */
async function checkExpectedEnds(
  expected: readonly string[],
  chains: readonly ChainVerdict[],
  read: AuditReadTransaction,
): Promise<ChainVerdict[]> {
  const verdicts: ChainVerdict[] = [];
  for (const text of expected) {
    const [, hub, seqText, mac] = /^(.+)@(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
    if (hub === undefined || seqText === undefined)
      throw vpError('FLAG_INVALID', {
        command: 'vp audit verify',
        flag: '--expect',
        problem: `is not a chain end such as acme@1200:5b2f…: \`${text}\``,
      });
    const seq = Number(seqText);
    const chain = chains.find((candidate) => candidate.hub === hub || candidate.hubId === hub);
    const storedMac = chain && (await read((sql) => readMac(sql, chain.hubId, seq)));
    if (storedMac === mac) continue;
    const problem = storedMac === undefined ? `entry ${seq} does not exist` : `entry ${seq} has another MAC`;
    const fault = { kind: 'altered', seq, problem: `${problem}, unlike the expected end` } as const;
    verdicts.push(createFaultVerdict(hub, hub, fault));
  }
  return verdicts;
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

function formatVerdicts(chains: readonly ChainVerdict[]): string {
  if (chains.length === 0) return 'the audit log is empty\n';
  const lines = chains.flatMap((chain) => {
    const { hub, hubId, entries, firstSeq, lastSeq, head, faults } = chain;
    const name = hub ?? hubId;
    const faultLines = faults.map(
      ({ kind, seq, problem }) => `  ✕ ${kind}${seq === undefined ? '' : ` ${seq}`}: ${problem}`,
    );
    const intactLine = `✓ ${name}: ${entries} ${entries === 1 ? 'entry' : 'entries'}, ${firstSeq} to ${lastSeq}; chain end ${name}@${lastSeq}:${head}`;
    const intactLines = [intactLine, ...formatUnsettled(chain)];
    return faults.length === 0 ? intactLines : [`✕ ${name}: the audit log was changed`, ...faultLines];
  });
  const isChanged = chains.some(({ faults }) => faults.length > 0);
  return `${lines.join('\n')}\n${isChanged ? 'restore the audit log from a backup, and find out who could write to its file\n' : ''}`;
}
