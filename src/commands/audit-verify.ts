import { join, resolve } from 'node:path';
import type { Environment } from '../environment/environment.ts';
import { exitCode } from '../errors/exit-code.ts';
import { vpError } from '../errors/vp-error.ts';
import { auditFile, chainKeys, openAuditKey } from '../hub/audit/audit-log.ts';
import { type ChainVerdict, type ReadAudit, verifyChains } from '../hub/audit/verify.ts';
import { masterKey } from '../secrets/master-key.ts';
import { chainOf, readAuditMeta } from '../store/audit/chains.ts';
import { openAuditReader } from '../store/audit/database.ts';
import { macAt } from '../store/audit/entries.ts';
import { progressOn } from '../terminal/progress.ts';
import { command } from './command.ts';
import { storeFolderFlag } from './common-flags.ts';

/** `vp audit verify`: on the files of the control plane, also while it is in use. */
export const auditVerifyCommand = command({
  name: 'audit verify',
  summary: 'find entries of the audit that were removed, altered or moved',
  positionals: [],
  flags: {
    ...storeFolderFlag,
    expect: {
      type: 'strings',
      placeholder: '<hub>@<seq>:<mac>',
      describe: 'an end that an earlier verification told: what stood before it must still be the same',
    },
  },
  examples: [
    ['vp audit verify', 'all hubs of this control plane, while `vp serve` goes on'],
    ['vp audit verify --data /backup/vp', 'a copy with its master.key'],
    ['vp audit verify --expect acme@1200:5b2f…', 'and nobody exchanged the whole file since'],
  ],
  notes: `Needs the master key (master.key of the data folder, or VP_MASTER_KEY): without it nobody can make a row that holds.
Write down the end that is told for each hub: only that shows that a whole older file was put in place.
Exit code 1: something was removed, altered, moved or cut off. With --json: {"chains": […]}.`,
  async run({ flags, json, environment }) {
    const { cwd, paths, streams, clock } = environment;
    const folder = resolve(cwd, flags.data ?? paths.data);
    const reader = openAuditReader(auditFile(folder));
    const progress = progressOn(streams.stderr, clock);
    try {
      const read: ReadAudit = (operation) => reader.read(operation);
      let seen = 0;
      const told = (entries: number): void => {
        seen += entries;
        progress.tell(`verifying, ${seen} entries`);
      };
      const chains = [...verifyChains(read, chainKeys(keyOf(read, folder, environment)), told)];
      const all = [...chains.map((chain) => ({ ...chain })), ...missing(flags.expect, chains, read)];
      progress.end();
      const isWhole = all.every(({ faults }) => faults.length === 0);
      streams.stdout.write(json ? `${JSON.stringify({ chains: all }, null, 2)}\n` : textOf(all, isWhole));
      return isWhole ? exitCode.done : exitCode.checkFailed;
    } finally {
      progress.end();
      reader.close();
    }
  },
});

function keyOf(read: ReadAudit, folder: string, { variables, random }: Environment): Uint8Array {
  const source = { file: join(folder, 'master.key'), variable: variables.VP_MASTER_KEY, mayCreate: false };
  const key = masterKey(source, random);
  const sealed = read((sql) => readAuditMeta(sql, 'key'));
  if (!key || !sealed) throw vpError('STORE_KEY_MISSING', { folder });
  return openAuditKey(key, sealed, folder);
}

/** The expected ends that do not stand where they stood. */
function missing(expected: readonly string[], chains: readonly ChainVerdict[], read: ReadAudit): ChainVerdict[] {
  return expected.flatMap((text) => {
    const [, hub, seqText, mac] = /^(.+)@(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
    if (hub === undefined || seqText === undefined)
      throw vpError('FLAG_INVALID', {
        command: 'vp audit verify',
        flag: '--expect',
        problem: `is no end: \`${text}\``,
      });
    const seq = Number(seqText);
    const chain = chains.find((one) => one.hub === hub || one.hubId === hub);
    const found = chain && read((sql) => macOf(sql, chain.hubId, seq));
    if (found === mac) return [];
    const problem = found === undefined ? `entry ${seq} is not there any more` : `entry ${seq} is another one`;
    const none = { hubId: hub, hub, firstSeq: 0, lastSeq: 0, entries: 0, head: '' };
    return [{ ...none, faults: [{ kind: 'altered' as const, seq, problem: `${problem} than was expected` }] }];
  });
}

function macOf(sql: Parameters<Parameters<ReadAudit>[0]>[0], hubId: string, seq: number): string | undefined {
  const chain = chainOf(sql, hubId);
  const mac = chain?.before_seq === seq ? chain.before_mac : chain && macAt(sql, chain.hub, seq);
  return mac && Buffer.from(mac).toString('hex');
}

function textOf(chains: readonly ChainVerdict[], isWhole: boolean): string {
  if (chains.length === 0) return 'the audit is empty\n';
  const lines = chains.flatMap(({ hub, hubId, entries, firstSeq, lastSeq, head, faults }) => {
    const name = hub ?? hubId;
    const told = faults.map(({ kind, seq, problem }) => `  ✕ ${kind}${seq === undefined ? '' : ` ${seq}`}: ${problem}`);
    const sound = `✓ ${name}: ${entries} entries, ${firstSeq} to ${lastSeq}; its end is ${name}@${lastSeq}:${head}`;
    return faults.length === 0 ? [sound] : [`✕ ${name}: not as it was written`, ...told];
  });
  return `${lines.join('\n')}\n${isWhole ? '' : 'restore the audit from a copy, and find out who could write its file\n'}`;
}
