import { isJSONRPCNotification, type Transport } from '@modelcontextprotocol/client';
import { withHearing } from './hearing.ts';

/**
 * The same transport, whose answers are heard after the notifications before them were. The official client puts notifications
 * off for a moment and answers not: of a chunk with progress and its answer it would forget the progress.
 */
export function withOrderedAnswers<T extends Transport>(transport: T): T {
  return withHearing(transport, (message, hear) => {
    if (isJSONRPCNotification(message)) return hear(message);
    queueMicrotask(() => queueMicrotask(() => hear(message)));
  });
}
