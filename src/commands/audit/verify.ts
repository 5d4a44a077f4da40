import { join, resolve } from 'node:path';
import { command } from '../../command-line/command.ts';
import type { Environment } from '../../environment/environment.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { createChainKeys, getAuditFile, unsealAuditKey } from '../../hub/audit/audit-log.ts';
import { type ChainVerdict, type ReadAudit, verifyChains } from '../../hub/audit/verify-chains.ts';
import { loadMasterKey } from '../../secrets/master-key.ts';
import { findAuditChain, readAuditMeta } from '../../store/audit/chains.ts';
import { findAuditEntryMac } from '../../store/audit/entries.ts';
import { openAuditReader } from '../../store/engine.ts';
import { createProgress } from '../../terminal/progress.ts';
import { storeFolderFlag } from '../role-flags.ts';

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
  },
  examples: [
    ['vp audit verify', 'all hubs of this control plane, while `vp serve` is running'],
    ['vp audit verify --data /backup/vp', 'a backup with its master.key'],
    ['vp audit verify --expect acme@1200:5b2f…', 'also detects that the whole file was replaced since'],
  ],
  notes: `Needs the master key (master.key of the data folder, or VP_MASTER_KEY): valid entries cannot be forged without it.
Keep the chain end that is printed for each hub: only with it can you detect that the whole file was replaced by an older one.
Exit code 1: something was removed, altered, moved or cut off. With --json: {"chains": […]}.`,
  async run({ flags, json, environment }) {
    const { cwd, paths, streams, clock } = environment;
    const folder = resolve(cwd, flags.data ?? paths.data);
    const reader = openAuditReader(getAuditFile(folder));
    const progress = createProgress(streams.stderr, clock);
    try {
      const read: ReadAudit = (operation) => reader.read(operation);
      let verifiedCount = 0;
      const onVerified = (entries: number): void => {
        verifiedCount += entries;
        progress.update(`verifying, ${verifiedCount} entries`);
      };
      const chains = [...verifyChains(read, createChainKeys(loadAuditKey(read, folder, environment)), onVerified)];
      const verdicts = [...chains.map((chain) => ({ ...chain })), ...checkExpectedEnds(flags.expect, chains, read)];
      progress.stop();
      const isIntact = verdicts.every(({ faults }) => faults.length === 0);
      streams.stdout.write(
        json ? `${JSON.stringify({ chains: verdicts }, null, 2)}\n` : formatVerdicts(verdicts, isIntact),
      );
      return isIntact ? exitCode.done : exitCode.checkFailed;
    } finally {
      progress.stop();
      reader.close();
    }
  },
});

function loadAuditKey(read: ReadAudit, folder: string, { variables, random }: Environment): Uint8Array {
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
  read: ReadAudit,
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
    const emptyChain = { hubId: hub, hub, firstSeq: 0, lastSeq: 0, entries: 0, head: '' };
    return [
      { ...emptyChain, faults: [{ kind: 'altered' as const, seq, problem: `${problem}, unlike the expected end` }] },
    ];
  });
}

function readMac(sql: Parameters<Parameters<ReadAudit>[0]>[0], hubId: string, seq: number): string | undefined {
  const chain = findAuditChain(sql, hubId);
  const mac = chain?.before_seq === seq ? chain.before_mac : chain && findAuditEntryMac(sql, chain.hub, seq);
  return mac && Buffer.from(mac).toString('hex');
}

function formatVerdicts(chains: readonly ChainVerdict[], isIntact: boolean): string {
  if (chains.length === 0) return 'the audit log is empty\n';
  const lines = chains.flatMap(({ hub, hubId, entries, firstSeq, lastSeq, head, faults }) => {
    const name = hub ?? hubId;
    const faultLines = faults.map(
      ({ kind, seq, problem }) => `  ✕ ${kind}${seq === undefined ? '' : ` ${seq}`}: ${problem}`,
    );
    const intactLine = `✓ ${name}: ${entries} entries, ${firstSeq} to ${lastSeq}; chain end ${name}@${lastSeq}:${head}`;
    return faults.length === 0 ? [intactLine] : [`✕ ${name}: the audit log was changed`, ...faultLines];
  });
  return `${lines.join('\n')}\n${isIntact ? '' : 'restore the audit log from a backup, and find out who could write to its file\n'}`;
}
