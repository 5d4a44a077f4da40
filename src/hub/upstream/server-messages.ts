/**
 * Bounds what a server sends before the response to a call. Progress prolongs a call up to its total limit, so that a server which
 * floods would take a processor for that long: 45,000 messages a second were measured. A server that reports 100 times a second
 * for 15 minutes stays below the limit.
 */

const maxMessages = 100_000;
/** Each answer is a request of its own to a server over HTTP. */
const maxOpenQuestions = 100;
const maxQuestions = 1000;

/** The name of the connection is added where the error is reported. */
export class ServerMessagesError extends Error {
  readonly subject: string;

  constructor(subject: string) {
    super(`the server sent more than ${subject}`);
    this.subject = subject;
  }
}

/** Of one call. Functions throw {@link ServerMessagesError}. */
export class ServerMessages {
  #messages = 0;
  #questions = 0;
  #openQuestions = 0;

  count(): void {
    this.#messages += 1;
    if (this.#messages > maxMessages) throw new ServerMessagesError(`${maxMessages} messages`);
  }

  /** Returns a function to be called when the answer was sent. */
  openQuestion(): () => void {
    this.#questions += 1;
    if (this.#openQuestions >= maxOpenQuestions) throw new ServerMessagesError(`${maxOpenQuestions} questions at once`);
    if (this.#questions > maxQuestions) throw new ServerMessagesError(`${maxQuestions} questions`);
    this.#openQuestions += 1;
    return () => {
      this.#openQuestions -= 1;
    };
  }
}
