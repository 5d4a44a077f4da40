import type { ReactNode } from 'react';
import { describeError, type ErrorDescription } from '../text/error-description.ts';

/** An error with its fix, and a button to try again if `retry` is given and can help. */
export function ErrorNotice({ error, retry }: { error: unknown; retry?: (() => unknown) | undefined }) {
  const description = describeError(error);
  return (
    <ErrorDetails description={description}>
      {retry && description.isRetryable ? (
        <button type="button" onClick={() => void retry()}>
          Try again
        </button>
      ) : null}
    </ErrorDetails>
  );
}

type ErrorDetailsProps = {
  readonly description: Pick<ErrorDescription, 'message' | 'cure' | 'code'> &
    Partial<Pick<ErrorDescription, 'beginsWithName'>>;
  readonly children?: ReactNode;
};

/** The same for an error that a response describes. `children` are actions. */
export function ErrorDetails({ description, children }: ErrorDetailsProps) {
  const { message, cure, code, beginsWithName = false } = description;
  return (
    <div className="problem" role="alert">
      <p>
        <strong>
          <InlineCode text={beginsWithName ? endSentence(message) : toSentence(message)} />
        </strong>
      </p>
      <p>
        <InlineCode text={toSentence(cure)} /> <code className="faint">{code}</code>
      </p>
      {children}
    </div>
  );
}

/** Texts mark code by backticks, as on a terminal. */
export function InlineCode({ text }: { text: string }) {
  return text.split('`').map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: parts never change places
    index % 2 === 1 ? <code key={index}>{part}</code> : part,
  );
}

/** Capitalized, with a full stop. */
export function toSentence(text: string): string {
  return endSentence(text.charAt(0).toUpperCase() + text.slice(1));
}

function endSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
