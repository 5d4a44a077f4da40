/**
 * Which process and which version of the target answered, as far as the run shows it: the process from the `pid` and `hostname`
 * that structured loggers write into each line and from the time at which the container engine started it, the version from what
 * the report names, a response header, or the image of its container. What a run does not show is not known.
 */
import { isTargetVersion, maxTargetVersionLength } from '../run/target-version.ts';
import type { Report } from './report.ts';

export type TargetIdentity = { readonly process: string | null; readonly version: string | null };

/** Names that applications use for their own version; `X-API-Version` is that of an interface, and not among them. */
const versionHeaders: ReadonlySet<string> = new Set([
  ...['x-app-version', 'x-application-version', 'x-service-version', 'x-version', 'x-release', 'x-build', 'x-build-id'],
  ...['x-build-version', 'x-git-sha', 'x-git-commit', 'x-commit', 'x-commit-sha', 'x-revision', 'x-deployment-id'],
]);

function findVersion({ exchange: { response } }: Report): string | null {
  const value = response?.headers.find(([name]) => versionHeaders.has(name.toLowerCase()))?.[1].trim();
  const version = value?.slice(0, maxTargetVersionLength).trim();
  return version && isTargetVersion(version) && version !== '[redacted]' ? version : null;
}

/** Lines are truncated in reports, so they are searched and not parsed. */
function findPid({ log }: Report): string | null {
  for (const { text } of log?.lines ?? []) {
    const pid = /^\s*\{.*?"pid"\s*:\s*"?(\d{1,10})\b/.exec(text)?.[1];
    if (pid === undefined) continue;
    const host = /"hostname"\s*:\s*"([\w.-]{1,80})"/.exec(text)?.[1];
    return host === undefined ? `pid ${pid}` : `pid ${pid} on ${host}`;
  }
  return null;
}

/** `pid 42 on box, started at 2026-11-22T14:30:12.000Z`. */
function findProcess(report: Report): string | null {
  const startedAt = report.log?.process_started_at;
  const parts = [findPid(report), startedAt === undefined ? null : `started at ${startedAt}`].filter(
    (part) => part !== null,
  );
  return parts.length === 0 ? null : parts.join(', ');
}

/** Its beginning, as container engines show it. */
function findImage({ log }: Report): string | null {
  const digest = /^sha256:([0-9a-f]{12})/.exec(log?.image ?? '')?.[1];
  return digest === undefined ? null : `image sha256:${digest}`;
}

export function findTargetIdentity(report: Report): TargetIdentity {
  const version = report.target_version ?? findVersion(report) ?? findImage(report);
  return { process: findProcess(report), version };
}

const startPattern = /(?:^|, )started at (\S+)$/;

/** The parts of a process that `findTargetIdentity` returned; null where they are not known. */
export function parseTargetProcess(text: string): { readonly pid: string | null; readonly startedAt: string | null } {
  const pid = text.replace(startPattern, '');
  return { pid: pid === '' ? null : pid, startedAt: startPattern.exec(text)?.[1] ?? null };
}
