import { resolve } from 'node:path';
import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { readAnchorKey } from '../../hub/audit/anchor-key.ts';
import { createStatement } from '../../hub/audit/anchor-statement.ts';
import { listAuditStatedEnds } from '../../store/audit/chains.ts';
import { databaseFlags, parseDatabase } from '../database-flags.ts';
import { storeFolderFlag } from '../role-flags.ts';
import { auditAnchorFlags } from '../serve/audit-anchor-flags.ts';
import { retentionFlags } from '../serve/retention-flags.ts';
import { withAuditSource } from './audit-source.ts';

const dayMs = 86_400_000;
const mib = 1024 ** 2;

/** `vp audit anchor` reads the audit, even while the control plane is running. */
export const auditAnchorCommand = command({
  name: 'audit anchor',
  summary: 'print a statement of how far the audit log has come, to be kept elsewhere',
  positionals: [],
  flags: {
    ...storeFolderFlag,
    database: databaseFlags.database,
    'database-file': databaseFlags['database-file'],
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
    const { cwd, streams, clock } = environment;
    const database = parseDatabase(flags, environment, 'vp audit anchor')?.main;
    const keyFile = flags['audit-key'];
    const key = keyFile === undefined ? undefined : readAnchorKey(resolve(cwd, keyFile));
    const limits = {
      maxAgeMs: flags['keep-audit'] * dayMs,
      argumentsMaxAgeMs: flags['keep-arguments'] * dayMs,
      maxBytes: flags['audit-mib'] * mib,
    };
    return await withAuditSource(flags.data, database, environment, async ({ content, name }) => {
      if (!content) throw vpError('STORE_ABSENT', { file: name });
      const statement = createStatement(await content.read(listAuditStatedEnds), clock.nowMs(), limits, key);
      streams.stdout.write(`${JSON.stringify(statement)}\n`);
      return exitCode.done;
    });
  },
});
