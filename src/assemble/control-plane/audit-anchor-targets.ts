/** Where `vp serve --audit-anchor` publishes statements about the audit: files, the log, or a webhook. */
import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../../environment/clock.ts';
import { vpError } from '../../errors/vp-error.ts';
import { syncFolder } from '../../files/atomic-write.ts';
import type { AnchorTarget } from '../../hub/audit/anchor-publisher.ts';
import type { ProcessLog } from '../process-log.ts';
import { postWebhook } from './post-webhook.ts';

export type AnchorDestination =
  | { readonly kind: 'file'; readonly file: string }
  | { readonly kind: 'log' }
  | { readonly kind: 'webhook'; readonly url: URL };

export type AnchorTargetDependencies = {
  readonly log: ProcessLog;
  readonly clock: Pick<Clock, 'after'>;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** PEM certificates that are trusted besides the usual ones. */
  readonly extraRoots: readonly string[];
};

export function createAnchorTarget(
  destination: AnchorDestination,
  dependencies: AnchorTargetDependencies,
): AnchorTarget {
  const { log } = dependencies;
  if (destination.kind === 'log')
    return { name: 'log', send: async (statement) => log.info({ audit_anchor: statement }, 'audit anchor') };
  if (destination.kind === 'webhook') return createWebhookTarget(destination.url, dependencies);
  const { file } = destination;
  return { name: file, send: async (statement) => appendLine(file, JSON.stringify(statement)) };
}

/**
 * Appends, so that what was stated before is never rewritten. A line that was cut off, by a full disk or a loss of power, is
 * removed or ended, so that it does not spoil the next one.
 */
function appendLine(file: string, line: string): void {
  const descriptor = openSync(file, 'a+', 0o600);
  try {
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.from(`${endsWithNewline(descriptor, size) ? '' : '\n'}${line}\n`);
    if (writeSync(descriptor, bytes) !== bytes.length) {
      ftruncateSync(descriptor, size);
      throw vpError('AUDIT_ANCHOR_FAILED', { target: file, problem: 'the disk is full' });
    }
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  syncFolder(dirname(file));
}

function endsWithNewline(descriptor: number, size: number): boolean {
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  readSync(descriptor, last, 0, 1, size - 1);
  return last.toString() === '\n';
}

function createWebhookTarget(url: URL, { clock, variables, extraRoots }: AnchorTargetDependencies): AnchorTarget {
  const name = url.origin;
  const createError = (problem: string) => vpError('AUDIT_ANCHOR_FAILED', { target: name, problem });
  return {
    name,
    send: (statement) =>
      postWebhook({ url, body: JSON.stringify(statement), extraRoots, variables, clock, createError }),
  };
}
