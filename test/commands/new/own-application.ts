/** An application that vp does not know yet, and an empty folder to call `vp new` in. */
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { type Clock, systemClock } from '../../../src/environment/clock.ts';
import { getHeader, type HttpTarget, type RequestHandler } from '../../targets/http-target.ts';
import { createWorkspace, startTarget, type Workspace } from '../test-workspace.ts';

export const token = 'the-token-of-the-application';

type Routes = Readonly<Record<string, unknown>>;
export type ApplicationOptions = {
  readonly routes?: Routes;
  /** Paths that want `Authorization: Bearer <token>`. */
  readonly protectedPaths?: readonly string[];
  /** The line that is logged for a request. */
  readonly log?: (url: string, header: (name: string) => string) => string;
};

export type OwnApplication = Workspace & { readonly target: HttpTarget; readonly logFile: string };

export const itemsDocument = {
  openapi: '3.0.3',
  info: { title: 'Items' },
  paths: {
    '/items': {
      get: { responses: { 200: {} } },
      post: {
        responses: { 201: {} },
        requestBody: { content: { 'application/json': { example: { title: 'a book' } } } },
      },
    },
  },
};

/** `routes` are the responses by path; everything else is 404. */
export async function startOwnApplication(t: Test, options: ApplicationOptions = {}): Promise<OwnApplication> {
  const { routes = { '/health': { status: 'ok', uptime: 3 } }, protectedPaths = [], log } = options;
  let logFile = '';
  const handler: RequestHandler = (_request, response, arrived) => {
    const header = (name: string): string => getHeader(arrived, name) ?? '-';
    if (log) appendFileSync(logFile, `${log(arrived.url, header)}\n`);
    const path = arrived.url.split('?', 1)[0] ?? '';
    const isRefused = protectedPaths.includes(path) && header('authorization') !== `Bearer ${token}`;
    const status = isRefused ? 401 : Object.hasOwn(routes, path) ? 200 : 404;
    const body = JSON.stringify(status === 200 ? routes[path] : { error: status });
    response.writeHead(status, {
      'content-type': 'application/json',
      ...(isRefused ? { 'www-authenticate': 'Bearer' } : {}),
    });
    response.end(body);
  };
  const target = await startTarget(t, handler);
  const workspace = createWorkspace(t, target.origin);
  rmSync(join(workspace.folder, 'product'), { recursive: true });
  logFile = join(workspace.folder, 'app.log');
  writeFileSync(logFile, '');
  const quick: Clock = { ...systemClock, sleep: (delayMs, signal) => systemClock.sleep(delayMs / 50, signal) };
  // The pause between two requests is shortened; lines of a log arrive in real time.
  const settings = log ? {} : { clock: quick };
  const vp: Workspace['vp'] = (args, own) => workspace.vp(args, { ...settings, ...own });
  return { ...workspace, vp, target, logFile };
}

/** The commands that a text names below `Next`, as words behind `vp`. */
export function listNextCommands(stdout: string): string[][] {
  const [, next = ''] = stdout.split('\nNext\n');
  const lines = next.split('\n').filter((line) => /^ {2}vp /.test(line));
  return lines.map((line) =>
    [...line.trim().matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].slice(1).map(([, a, b, c]) => a ?? b ?? c ?? ''),
  );
}
