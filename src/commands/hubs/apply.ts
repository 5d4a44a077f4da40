import { resolve } from 'node:path';
import { command } from '../../command-line/command.ts';
import type { Environment } from '../../environment/environment.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { VpError, vpError } from '../../errors/vp-error.ts';
import { paintFor } from '../../terminal/paint.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags } from '../control-plane/control-plane-flags.ts';
import { formatSystemErrorCode, writeOutputFile } from '../output-file.ts';
import { applyChanges, type ChangeResult, readSecrets } from './as-code/apply-changes.ts';
import {
  formatChanges,
  formatResults,
  formatUnlistedItems,
  toChangeDocument,
  toResultDocument,
} from './as-code/change-text.ts';
import { hubFilePositional, planFlags } from './as-code/file-flags.ts';
import type { ParsedHubFile } from './as-code/hub-file-text.ts';
import { type PreparedApply, prepareApply, readHubFile } from './as-code/prepare-apply.ts';
import { createSecretReader } from './as-code/secret-references.ts';

/** `vp hubs apply`. */
export const hubsApplyCommand = command({
  name: 'hubs apply',
  summary: 'change a hub so that it matches a file',
  positionals: [hubFilePositional],
  flags: {
    'dry-run': { type: 'boolean', default: false, describe: 'validate and list the changes, and change nothing' },
    create: { type: 'boolean', default: false, describe: 'create the hub if there is none' },
    'if-revision': {
      type: 'string',
      placeholder: '<revision>',
      describe: 'the revision that `vp hubs diff` showed; replaces the one in the file',
    },
    secrets: {
      type: 'boolean',
      default: false,
      describe: 'also send the secrets of connections that do not change, as after a rotation; ends their sign-ins',
    },
    'allow-commands': {
      type: 'boolean',
      default: false,
      describe: 'run the programs of `command:…` references on this machine',
    },
    ...planFlags,
    ...controlPlaneFlags,
  },
  examples: [
    ['vp hubs apply hub.yaml --dry-run', 'what would change'],
    ['vp hubs apply hub.yaml --if-revision 8c2…', 'only if nobody has changed the hub since the diff'],
    ['vp hubs apply hub.yaml --prune', 'also remove what the file does not have'],
    ['vp hubs apply staging.yaml --create', 'a copy of a hub under another slug'],
  ],
  notes:
    'A hub that has changed since the revision in the file is refused, and one that somebody changes while the file is applied. Applying a file twice changes nothing. Secrets are read before the first change, and sent only for connections that are new or whose credential changes. All changes are made, or none if one is refused. Afterwards the new revision is written into the file, if it has one. Exit code 1: a change was refused, and nothing was changed. With --json: {"hub", "revision", "changes", "unlisted"}.',
  async run({ flags, args: [name = ''], json, environment }) {
    const { streams } = environment;
    const parsed = readHubFile(name, environment);
    const client = await openClient(flags, environment);
    const { slug } = parsed.file.hub;
    const options = { prunes: flags.prune, acceptsUnknownNames: flags['accept-unknown-names'] };
    const prepared = await prepareApply(client, parsed, name, { ...options, sendsSecrets: flags.secrets });
    const { state, plan } = prepared;
    if (!state && !flags.create) throw vpError('HUB_FILE_NO_HUB', { hub: slug });
    assertRevision(prepared, name, flags['if-revision']);
    if (state && plan.changes.some(({ kind }) => kind === 'set_policy') && parsed.file.policy)
      await client.hubPolicy.tryPolicy(slug, parsed.file.policy, new Date(environment.clock.nowMs()).toISOString());
    if (flags['dry-run'] || plan.changes.length === 0) {
      const changes = plan.changes.map(toChangeDocument);
      const text = changes.length === 0 ? `${slug} is as ${name} says\n` : `would\n${formatChanges(plan.changes)}`;
      const document = { hub: slug, revision: state?.hub.revision ?? null, changes, unlisted: plan.unlisted };
      streams.stdout.write(
        json ? `${JSON.stringify(document, null, 2)}\n` : `${text}${formatUnlistedItems(plan.unlisted)}`,
      );
      return exitCode.done;
    }
    const readSecret = createSecretReader(environment, name, flags['allow-commands']);
    const secrets = await readSecrets(plan.changes, readSecret);
    const context = { client, file: parsed.file, ...prepared, secrets, ...options };
    const { results, revision } = await applyChanges(context, plan.changes).catch((thrown: unknown) => {
      throw nameFile(thrown, slug, name);
    });
    if (revision !== undefined) saveRevision(parsed, name, revision, environment);
    return printResults(environment, json, {
      slug,
      results,
      revision: revision ?? null,
      unlisted: plan.unlisted,
    });
  },
});

/** Throws HUB_CHANGED. A hub that already is as the file says needs no revision. */
function assertRevision({ parsed: { file }, state, plan }: PreparedApply, name: string, flag: string | undefined) {
  const expected = flag ?? (state ? file.revision : undefined);
  const actual = state?.hub.revision;
  if (expected === undefined || expected === actual || plan.changes.length === 0) return;
  throw vpError('HUB_CHANGED', { hub: file.hub.slug, expected, actual: actual ?? 'none', file: name });
}

/** The control plane, which finds that the hub changed after it was read, does not know the name of the file. */
function nameFile(thrown: unknown, hub: string, file: string): unknown {
  if (!(thrown instanceof VpError) || thrown.code !== 'HUB_CHANGED') return thrown;
  const { expected, actual } = Object(thrown.diagnostics[0]);
  return vpError('HUB_CHANGED', { hub, expected: String(expected), actual: String(actual), file }, { cause: thrown });
}

/** Only the characters of the revision change, so that comments and layout stay. */
function saveRevision(
  { text, revisionRange }: ParsedHubFile,
  name: string,
  revision: string,
  { cwd, random, streams }: Environment,
): void {
  if (!revisionRange) return;
  const [start, end] = revisionRange;
  try {
    writeOutputFile(resolve(cwd, name), `${text.slice(0, start)}${JSON.stringify(revision)}${text.slice(end)}`, random);
  } catch (thrown) {
    const reason = formatSystemErrorCode(thrown);
    streams.stderr.write(`the revision ${revision} could not be written into ${name} (${reason})\n`);
  }
}

type ApplyOutcome = {
  readonly slug: string;
  readonly results: readonly ChangeResult[];
  readonly revision: string | null;
  readonly unlisted: readonly string[];
};

function printResults(
  { streams, variables }: Environment,
  json: boolean,
  { slug, results, revision, unlisted }: ApplyOutcome,
): ExitCode {
  const isDone = results.every(({ outcome }) => outcome === 'done');
  if (json) {
    const document = { hub: slug, revision, changes: results.map(toResultDocument), unlisted };
    streams.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
  } else {
    const paint = paintFor(streams.stdout, variables);
    const summary = isDone
      ? `${slug} is as the file says, revision ${revision}`
      : `${slug}: nothing was changed; correct the cause and apply the file again`;
    streams.stdout.write(`${formatResults(results, paint)}${summary}\n${formatUnlistedItems(unlisted)}`);
  }
  return isDone ? exitCode.done : exitCode.checkFailed;
}
