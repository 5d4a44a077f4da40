/** A product folder, a test folder and a target, and `vp` run in this process in that folder. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Test } from 'tap';
import { main } from '../../src/commands/main.ts';
import type { Clock } from '../../src/environment/clock.ts';
import type { Environment, TextSink } from '../../src/environment/environment.ts';
import { resolvePaths, type UserPaths } from '../../src/environment/paths.ts';
import { memoryEnvironment } from '../environment/memory-environment.ts';
import { type HttpTarget, type RequestHandler, startHttpTarget } from '../targets/http-target.ts';

/** The text of a scenario. */
export function scenarioText(
  id: string,
  { path = '/api/v2/document', checks = ['status=200'], tags = 'http' } = {},
): string {
  return `# Scenario: GET ${id}

## Metadata

- ID: ${id}
- Layer: HTTP Ingestion
- Tags: ${tags}

## TRIGGER

GET \${INGESTION_URL}${path}
X-Request-Id: \${correlation_id}

## EXPECT

### Runnable

${checks.map((check) => `- ${check}`).join('\n')}

## TIMEOUT

5s
`;
}

/** The line of the first check in {@link scenarioText}. */
export const firstCheckLine = 18;

/** The exit code and output of a command. */
export type CommandResult = { readonly code: number; readonly stdout: string; readonly stderr: string };

type CommandSettings = {
  readonly variables?: Record<string, string>;
  readonly stdin?: Environment['streams']['stdin'];
  readonly stdout?: Partial<TextSink>;
  readonly stderr?: Partial<TextSink>;
  readonly clock?: Clock;
};

/** The folder of one test, removed when it ends. */
export type Workspace = {
  readonly folder: string;
  readonly paths: UserPaths;
  write(name: string, text: string): string;
  /** Runs `vp` with the folder as current folder and home. */
  vp(args: readonly string[], settings?: CommandSettings): Promise<CommandResult>;
  /** Like `vp`, but can be interrupted; `written` is the output so far. */
  start(args: readonly string[], settings?: CommandSettings): RunningCommand;
};
/** A running command. */
export type RunningCommand = {
  readonly ended: Promise<number>;
  readonly written: { readonly stdout: string; readonly stderr: string };
  interrupt(): void;
};

/** Creates a workspace with a config for `baseUrl` and the given files in an empty folder. */
export function createWorkspace(
  t: Test,
  baseUrl: string,
  files: Readonly<Record<string, string>> = {},
  folder = t.testdir(),
): Workspace {
  const write = (name: string, text: string): string => {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  write(
    'product/platform-config.yaml',
    `project: {name: shop}\ntargets:\n  http: {base_url: "${baseUrl}"}\n  auth: {type: bearer, bearer_token: "\${API_TOKEN}"}\n`,
  );
  write('product/.env', 'API_TOKEN=the-token-of-the-target\n');
  for (const [name, text] of Object.entries(files)) write(name, text);
  const paths = resolvePaths({}, 'linux', join(folder, 'home'));
  const start = (
    args: readonly string[],
    { variables = {}, stdin, ...sinks }: CommandSettings = {},
  ): RunningCommand => {
    const memory = memoryEnvironment({ args, cwd: folder, variables, paths, ...sinks });
    const environment: Environment = stdin
      ? { ...memory.environment, streams: { ...memory.environment.streams, stdin } }
      : memory.environment;
    return { ended: main(environment), written: memory.written, interrupt: () => memory.interrupt() };
  };
  return {
    folder,
    paths,
    write,
    start,
    async vp(args, settings) {
      const { ended, written } = start(args, settings);
      const code = await ended;
      return { code, ...written };
    },
  };
}

/** Starts a target for one test. */
export async function startTarget(t: Test, answer: RequestHandler): Promise<HttpTarget> {
  const httpTargetListener = await startHttpTarget(answer);
  t.teardown(() => httpTargetListener.close());
  return httpTargetListener;
}
