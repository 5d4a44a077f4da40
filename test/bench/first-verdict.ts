/** `vp new` from an empty folder to a first verdict on applications that this project did not write, against their own answer. */
import { mkdirSync } from 'node:fs';
import {
  type ForeignApplication,
  startFastifyExample,
  startJsonServer,
  startMockServer,
  type Teardown,
} from '../commands/new/foreign-applications.ts';
import type { BenchContext } from './bench-context.ts';
import { inTurns, median, series, timed } from './measure.ts';
import { run } from './processes.ts';
import { type Row, under } from './row.ts';

const token = 'token-of-the-galaxy';

/** What a person would answer, as flags. */
const applications: readonly {
  readonly name: string;
  readonly start: (owner: Teardown, folder: string) => Promise<ForeignApplication>;
  readonly path: string;
  readonly args: (application: ForeignApplication) => readonly string[];
}[] = [
  {
    name: 'json-server (log of text)',
    start: startJsonServer,
    path: '/posts',
    args: ({ logFile }) => ['--log', logFile, '--from', 'GET /posts'],
  },
  {
    name: "fastify's example (JSON log)",
    start: startFastifyExample,
    path: '/',
    args: ({ logFile }) => ['--log', logFile],
  },
  {
    name: "Scalar's mock server (token, OpenAPI)",
    start: startMockServer,
    path: '/me',
    args: () => ['--secret-from', 'API_TOKEN'],
  },
];

/** One row for each application. */
export async function firstVerdict({ vp, fresh, quick }: BenchContext): Promise<Row[]> {
  const endings: (() => unknown)[] = [];
  try {
    const rows: Row[] = [];
    for (const { name, start, path, args } of applications) {
      const folder = fresh('application');
      mkdirSync(folder);
      const application = await start({ teardown: (end) => endings.push(end) }, folder);
      const ofVp = series(async () => {
        const cwd = fresh('own-application');
        mkdirSync(cwd);
        const program = vp('new', '--yes', '--base-url', application.origin, ...args(application));
        return (await run({ ...program, cwd, env: { ...program.env, API_TOKEN: token } })).ms;
      });
      const headers = { authorization: `Bearer ${token}` };
      const ofAnswer = series(() => timed(async () => (await fetch(application.origin + path, { headers })).text()));
      await inTurns(quick ? 1 : 5, [ofVp, ofAnswer], 1);
      const floor = { what: `one answer to GET ${path}`, value: median(ofAnswer.samples) };
      rows.push(under({ measured: `\`vp new\` on ${name}`, value: median(ofVp.samples), unit: 'ms', floor }, 60_000));
    }
    return rows;
  } finally {
    for (const end of endings) end();
  }
}
