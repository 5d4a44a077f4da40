import { resolve } from 'node:path';
import { command } from '../../command-line/command.ts';
import type { Environment } from '../../environment/environment.ts';
import { exitCode } from '../../errors/exit-code.ts';
import {
  copyDatabaseIntoFiles,
  copyFilesIntoDatabase,
  countDatabaseRows,
  countFileRows,
  examineTargetDatabase,
  type StoreCopyReport,
} from '../../store/copy/move-stores.ts';
import { openSourceFolder } from '../../store/copy/source-folder.ts';
import { assertNoStore } from '../../store/copy/target-folder.ts';
import type { PostgresSettings } from '../../store/postgres/connection-settings.ts';
import { getStoreFile } from '../../store/store-files.ts';
import { createProgress } from '../../terminal/progress.ts';
import { countPendingCalls, settleRecentCalls } from '../audit/recent-calls.ts';
import { storeFolderFlag } from '../role-flags.ts';
import { completeCommands } from '../suggest.ts';
import { createCopiedAudit } from './copied-audit.ts';
import { type Direction, parseDirection } from './move-direction.ts';
import { storeLabels } from './store-names.ts';

type MoveContext = {
  readonly direction: Direction;
  readonly settings: PostgresSettings;
  readonly folder: string;
  readonly environment: Environment;
};

type Move = {
  readonly database: string;
  readonly stores: readonly StoreCopyReport[];
  readonly verified: { readonly chains: number; readonly entries: number };
};

/** `vp move`. */
export const moveCommand = command({
  name: 'move',
  summary: 'move the control plane’s stores to PostgreSQL, or back',
  positionals: [],
  flags: {
    ...storeFolderFlag,
    to: {
      type: 'string',
      placeholder: '<url>',
      describe:
        'copy the data folder into this empty database: postgres://<user>@<host>/<database>, without a password',
    },
    'to-file': {
      type: 'string',
      placeholder: '<file>',
      describe: 'file of mode 0600 with that URL, which may have a password',
    },
    from: { type: 'string', placeholder: '<url>', describe: 'copy this database into a data folder without a store' },
    'from-file': { type: 'string', placeholder: '<file>', describe: 'file of mode 0600 with that URL' },
    'dry-run': { type: 'boolean', default: false, describe: 'check source and target, count rows, and change nothing' },
  },
  examples: [
    ['vp move --to postgres://vp@db.example.com/vp', 'the password comes from PGPASSWORD or ~/.pgpass'],
    ['vp move --to-file /etc/vp/database --dry-run', 'what would be copied'],
    ['vp move --from postgres://vp@db.example.com/vp --data /srv/vp', 'back into files'],
  ],
  notes:
    'Stop every `vp serve` first: a source in use is refused, and so is a target that is not empty. Everything is copied, compared row by row, ' +
    'and the audit of hubs is verified in the copy, which needs the master key (master.key of the data folder, or VP_MASTER_KEY). Only ' +
    'then is the copy valid; otherwise nothing of it is left. The source is not changed: do not start a control plane on it again.\n' +
    'With --json: {"database", "data", "direction", "stores": [{"store", "rows", "tables": […]}], "audit": {"chains", "entries"}}.',
  async run({ flags, json, environment, catalogue }) {
    const { cwd, paths, streams } = environment;
    const { direction, settings } = parseDirection(flags, environment);
    const folder = resolve(cwd, flags.data ?? paths.data);
    const context = { direction, settings, folder, environment };
    if (flags['dry-run']) {
      const move = await (direction === 'to' ? examineMoveTo(context) : examineMoveFrom(context));
      streams.stdout.write(json ? toJson(move, context, true) : formatExamination(move, context));
      return exitCode.done;
    }
    const move = await (direction === 'to' ? moveTo(context) : moveFrom(context));
    const text = json ? '' : await completeCommands(formatMove(move, context), { environment, catalogue });
    streams.stdout.write(json ? toJson(move, context, false) : text);
    return exitCode.done;
  },
});

function createReports({ folder, environment }: MoveContext) {
  const { streams, clock } = environment;
  const progress = createProgress(streams.stderr, clock);
  const audit = createCopiedAudit(folder, environment, (entries) =>
    progress.update(`verifying the audit, ${entries} entries`),
  );
  return {
    progress,
    verified: audit.verified,
    options: {
      clock,
      verifyAudit: audit.verify,
      onProgress: (store: StoreCopyReport['store'], phase: string, share: number) =>
        progress.update(`${phase} ${storeLabels[store]}, ${Math.round(share * 100)} %`),
    },
  };
}

async function moveTo(context: MoveContext): Promise<Move> {
  const { settings, folder, environment } = context;
  await settleRecentCalls(folder, environment, { onFailure: 'fail' });
  const { progress, verified, options } = createReports(context);
  const source = openSourceFolder(folder, environment.pid);
  try {
    const stores = await copyFilesIntoDatabase(source, { ...options, settings });
    return { database: formatDatabase(settings), stores, verified };
  } finally {
    source.close();
    progress.stop();
  }
}

async function moveFrom(context: MoveContext): Promise<Move> {
  const { settings, folder, environment } = context;
  const { progress, verified, options } = createReports(context);
  const lock = assertNoStore(folder, environment.pid);
  try {
    const getFile = (store: StoreCopyReport['store']) => getStoreFile(folder, store);
    const target = { getFile, pid: environment.pid, isMoving: true };
    const stores = await copyDatabaseIntoFiles({ ...options, settings, ...target });
    return { database: formatDatabase(settings), stores, verified };
  } finally {
    lock.release();
    progress.stop();
  }
}

const notVerified = { chains: 0, entries: 0 };

async function examineMoveTo({ settings, folder, environment }: MoveContext): Promise<Move> {
  const source = openSourceFolder(folder, environment.pid);
  try {
    const database = await examineTargetDatabase({ settings, clock: environment.clock });
    const stores = await countFileRows(source, await countPendingCalls(folder, environment));
    return { database, stores, verified: notVerified };
  } finally {
    source.close();
  }
}

async function examineMoveFrom({ settings, folder, environment }: MoveContext): Promise<Move> {
  assertNoStore(folder, environment.pid).release();
  const stores = await countDatabaseRows({ settings, clock: environment.clock });
  return { database: formatDatabase(settings), stores, verified: notVerified };
}

function formatDatabase({ address, database }: PostgresSettings): string {
  return `${address}/${database}`;
}

function countRows({ tables }: StoreCopyReport): number {
  return tables.reduce((sum, { rows }) => sum + rows, 0);
}

function toJson({ database, stores, verified }: Move, { direction, folder }: MoveContext, isDryRun: boolean): string {
  const document = {
    ...{ direction, database, data: folder, dry_run: isDryRun },
    stores: stores.map((store) => ({
      store: store.store,
      rows: countRows(store),
      tables: store.tables.map(({ table, rows, sum }) => ({ table, rows, ...(sum === '' ? {} : { digest: sum }) })),
    })),
    audit: verified,
  };
  return `${JSON.stringify(document)}\n`;
}

function formatExamination({ database, stores }: Move, { direction, folder }: MoveContext): string {
  const [source, target] = direction === 'to' ? [folder, database] : [database, folder];
  const lines = stores.map(
    (store) => `${storeLabels[store.store]}: ${countRows(store)} rows in ${store.tables.length} tables`,
  );
  return `${[...lines, `would be copied from ${source} to ${target}, which is empty; nothing was changed`].join('\n')}\n`;
}

function formatMove({ database, stores, verified }: Move, { direction, folder }: MoveContext): string {
  const [source, target] = direction === 'to' ? [folder, database] : [database, folder];
  const lines = stores.map(
    (store) =>
      `copied and compared ${storeLabels[store.store]}: ${countRows(store)} rows in ${store.tables.length} tables`,
  );
  if (verified.chains > 0) lines.push(`verified the audit of ${verified.chains} hubs: ${verified.entries} entries`);
  lines.push(`${target} now has everything; ${source} was not changed: start no control plane on it again`);
  const newStore = direction === 'to' ? 'this database' : 'this folder';
  lines.push(`next: start \`vp serve\` on ${newStore} with the same master key, then restart the executors`);
  return `${lines.join('\n')}\n`;
}
