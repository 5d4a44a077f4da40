/** Reads the version of the target where the config says that the target names it. */
import { isObjectValue, type Json } from '../../check/json/json.ts';
import type { Clock } from '../../environment/clock.ts';
import { formatError } from '../../errors/vp-error.ts';
import type { TargetDispatcher } from '../../outbound/target-dispatcher.ts';
import type { ProjectConfig, TargetVersionConfig } from '../../project/project-config.ts';
import { findHeaderValue, type ReceivedResponse } from '../../run/evidence.ts';
import { isTargetVersion, maxTargetVersionLength } from '../../run/target-version.ts';
import type { Redactor } from '../redaction/redactor.ts';
import { type RequestResult, readResponse } from '../response/read-response.ts';
import { sendRequest } from '../trigger/send-request.ts';

/** `note` says why there is no version. */
export type VersionResult = { readonly version?: string; readonly note?: string };

/** `response`: that of the run. Never rejects. */
export type VersionReader = (response: ReceivedResponse | undefined) => Promise<VersionResult>;

/** A run in a row of many does not ask again: a version changes with a deployment. */
const maxAgeMs = 2000;
const timeoutMs = 2000;

export type VersionReaderContext = {
  readonly project: ProjectConfig;
  readonly dispatcher: TargetDispatcher;
  readonly clock: Clock;
  /** Of this build. */
  readonly version: string;
  readonly origin: string;
  readonly bearerToken: string | undefined;
  readonly redactor: Redactor;
};

export function createVersionReader(config: TargetVersionConfig, context: VersionReaderContext): VersionReader {
  const { path } = config;
  if (path === undefined)
    return async (response) => (response ? readVersion(config, { response, failure: undefined }, context) : {});
  const { clock } = context;
  let last: { readonly sinceMs: number; readonly result: Promise<VersionResult> } | undefined;
  return async () => {
    const nowMs = clock.monotonicMs();
    if (!last || nowMs - last.sinceMs >= maxAgeMs)
      last = { sinceMs: nowMs, result: requestVersion(config, path, context) };
    return last.result;
  };
}

async function requestVersion(
  config: TargetVersionConfig,
  path: string,
  context: VersionReaderContext,
): Promise<VersionResult> {
  const { origin, bearerToken, version, dispatcher, clock, project, redactor } = context;
  const authorization = bearerToken === undefined ? [] : ['Authorization', `Bearer ${bearerToken}`];
  const headers = ['User-Agent', `vp/${version}`, 'Accept', 'application/json', ...authorization];
  const { baseUrlSource } = project.targets.http;
  const options = { dispatcher, clock, startMonotonicMs: clock.monotonicMs(), timeoutMs, baseUrlSource };
  const result = await sendRequest({ origin, method: 'GET', path, headers, body: undefined }, options);
  return readVersion(config, await readResponse(result, origin, redactor), context);
}

function readVersion(
  { path, source: { kind, name } }: TargetVersionConfig,
  { response, failure }: RequestResult,
  { redactor }: VersionReaderContext,
): VersionResult {
  const versionSource = `${kind} \`${name}\`${path === undefined ? ' of the response' : ` of GET ${path}`}`;
  if (failure || !response) return createNote(`${versionSource}: ${failure?.message ?? 'there is no response'}`);
  const value = kind === 'header' ? findHeaderValue(response.headers, name.toLowerCase()) : findField(response, name);
  if (value === undefined) return createNote(`there is no ${versionSource} (status ${response.status})`);
  const text = value.trim().slice(0, maxTargetVersionLength).trim();
  // A field that holds a secret by mistake must not become the name of a version.
  if (!isTargetVersion(text) || text.includes('[redacted]') || redactor.redactText(text) !== text)
    return createNote(
      `the ${versionSource} is not a version of up to ${maxTargetVersionLength} printable ASCII characters`,
    );
  return { version: text };
}

function findField({ body }: ReceivedResponse, name: string): string | undefined {
  let value: Json | undefined = body.kind === 'json' ? body.value : undefined;
  for (const key of name.split('.')) value = value !== undefined && isObjectValue(value) ? value[key] : undefined;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

function createNote(problem: string): VersionResult {
  const { message, cure } = formatError('EVIDENCE_VERSION_UNREAD', { problem });
  return { note: `${message}: ${cure}` };
}
