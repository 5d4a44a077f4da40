import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { readAnchorKey } from '../../hub/audit/anchor-key.ts';
import { createStatement } from '../../hub/audit/anchor-statement.ts';
import { getAuditFile } from '../../hub/audit/audit-log.ts';
import { listAuditStatedEnds } from '../../store/audit/chains.ts';
import { openAuditReader } from '../../store/engine.ts';
import { storeFolderFlag } from '../role-flags.ts';
import { auditAnchorFlags } from '../serve/audit-anchor-flags.ts';
import { retentionFlags } from '../serve/retention-flags.ts';

const dayMs = 86_400_000;
const mib = 1024 ** 2;

/** `vp audit anchor` reads the file of the audit, even while the control plane is running. */
export const auditAnchorCommand = command({
  name: 'audit anchor',
  summary: 'print a statement of how far the audit log has come, to be kept elsewhere',
  positionals: [],
  flags: {
    ...storeFolderFlag,
    'audit-key': auditAnchorFlags['audit-key'],
    'keep-audit': retentionFlags['keep-audit'],
    'keep-arguments': retentionFlags['keep-arguments'],
    'audit-mib': retentionFlags['audit-mib'],
  },
  examples: [
    ['vp audit anchor', 'one line of JSON; append it to a file on another disk'],
    ['vp audit anchor --audit-key /mnt/keys/vp-audit.pem', 'signed'],
  ],
  notes: `\`vp serve\` with \`--audit-anchor\` does the same at an interval. \`vp audit verify --anchors <file>\` compares. Name the same retention as for \`vp serve\`:
entries that are deleted before their time count as removed. Does not verify: run \`vp audit verify\` first.`,
  async run({ flags, environment }) {
    const { cwd, paths, streams, clock } = environment;
    const file = getAuditFile(resolve(cwd, flags.data ?? paths.data));
    if (!existsSync(file)) throw vpError('STORE_ABSENT', { file });
    const keyFile = flags['audit-key'];
    const key = keyFile === undefined ? undefined : readAnchorKey(resolve(cwd, keyFile));
    const limits = {
      maxAgeMs: flags['keep-audit'] * dayMs,
      argumentsMaxAgeMs: flags['keep-arguments'] * dayMs,
      maxBytes: flags['audit-mib'] * mib,
    };
    const reader = openAuditReader(file);
    try {
      const statement = createStatement(reader.read(listAuditStatedEnds), clock.nowMs(), limits, key);
      streams.stdout.write(`${JSON.stringify(statement)}\n`);
      return exitCode.done;
    } finally {
      reader.close();
    }
  },
});
