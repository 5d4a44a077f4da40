/**
 * The statements of one write transaction, sent in the order of its operations. Reads may go right behind the statement that
 * begins the transaction. Nothing is written before that one has an answer, for a write outside of the transaction would be
 * committed by itself; and what comes behind such a write waits with it.
 */
import { isWriting, type SendStatement, type Statement } from './operation.ts';

export type StatementOrder = {
  readonly send: SendStatement;
  /** A statement that writes was sent, or waits to be sent. */
  readonly hasWritten: boolean;
};

/** When `began` rejects, statements that wait are rejected with its error, and later ones too. */
export function createStatementOrder(start: Promise<unknown>, sendNow: SendStatement): StatementOrder {
  let state: 'beginning' | 'begun' | 'refused' = 'beginning';
  let hasWritten = false;
  let waiting: (() => void)[] = [];
  const settle = (outcome: 'begun' | 'refused'): void => {
    state = outcome;
    for (const proceed of waiting) proceed();
    waiting = [];
  };
  start.then(
    () => settle('begun'),
    () => settle('refused'),
  );
  const sendBehindBegin = async (statement: Statement): Promise<unknown> => {
    await start;
    return await sendNow(statement);
  };
  return {
    get hasWritten() {
      return hasWritten;
    },
    send(statement) {
      hasWritten ||= isWriting(statement);
      if (!hasWritten || state === 'begun') return sendNow(statement);
      if (state === 'refused') return sendBehindBegin(statement);
      const { promise, resolve } = Promise.withResolvers<unknown>();
      waiting.push(() => resolve(state === 'begun' ? sendNow(statement) : sendBehindBegin(statement)));
      return promise;
    },
  };
}
