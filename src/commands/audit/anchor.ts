import { createTimeStamper } from '../../assemble/control-plane/audit-time-stamper.ts';
import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { createStatement } from '../../hub/audit/anchor-statement.ts';
import { openAnchorKey } from '../../hub/audit/signing/open-anchor-key.ts';
import { listAuditStatedEnds } from '../../store/audit/chains.ts';
import { databaseFlags, parseDatabase } from '../database-flags.ts';
import { storeFolderFlag } from '../role-flags.ts';
import { auditAnchorFlags, parseTimeStamping } from '../serve/audit-anchor-flags.ts';
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
    'audit-tsa': auditAnchorFlags['audit-tsa'],
    'audit-tsa-ca': auditAnchorFlags['audit-tsa-ca'],
    'keep-audit': retentionFlags['keep-audit'],
    'keep-arguments': retentionFlags['keep-arguments'],
    'audit-mib': retentionFlags['audit-mib'],
  },
  examples: [
    ['vp audit anchor', 'one line of JSON; append it to a file on another disk'],
    ['vp audit anchor --audit-key /mnt/keys/vp-audit.pem', 'signed'],
    ['vp audit anchor --audit-key ssh-agent:/etc/vp/audit.pub', 'signed by the ssh-agent of SSH_AUTH_SOCK'],
    ['vp audit anchor --audit-tsa http://timestamp.example.com --audit-tsa-ca roots.pem', 'time-stamped'],
  ],
  notes: `\`vp serve\` with \`--audit-anchor\` does the same at an interval. \`vp audit verify --anchors <file>\` compares. Name the same retention as for \`vp serve\`:
entries that are deleted before their time count as removed. Does not verify: run \`vp audit verify\` first.`,
  async run({ flags, environment }) {
    const { cwd, streams, clock, random, variables } = environment;
    const database = parseDatabase(flags, environment, 'vp audit anchor')?.main;
    const keyName = flags['audit-key'];
    const key = keyName === undefined ? undefined : await openAnchorKey(keyName, environment);
    const authority = parseTimeStamping(flags, cwd, 'vp audit anchor');
    const stamper = authority && createTimeStamper(authority, { clock, random, variables, extraRoots: [] });
    const limits = {
      maxAgeMs: flags['keep-audit'] * dayMs,
      argumentsMaxAgeMs: flags['keep-arguments'] * dayMs,
      maxBytes: flags['audit-mib'] * mib,
    };
    return await withAuditSource(flags.data, database, environment, async ({ content, name }) => {
      if (!content) throw vpError('STORE_ABSENT', { file: name });
      const state = { ...limits, usedBytes: content.usedBytes };
      const statement = await createStatement(await content.read(listAuditStatedEnds), clock.nowMs(), state, key);
      const stamp = stamper && { time_stamp: await stamper.stamp(statement) };
      streams.stdout.write(`${JSON.stringify({ ...statement, ...stamp })}\n`);
      return exitCode.done;
    });
  },
});
