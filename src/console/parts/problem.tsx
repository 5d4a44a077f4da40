import type { ReactNode } from 'react';
import { type Told, toldOf } from '../words/problem.ts';

/** What went wrong and what to do about it; with `retry` a way to try again, where that can help. */
export function Problem({ error, retry }: { error: unknown; retry?: (() => unknown) | undefined }) {
  const told = toldOf(error);
  return (
    <ToldProblem told={told}>
      {retry && told.mayMend ? (
        <button type="button" onClick={() => void retry()}>
          Try again
        </button>
      ) : null}
    </ToldProblem>
  );
}

type ToldProblemProps = { readonly told: Pick<Told, 'message' | 'cure' | 'code'>; readonly children?: ReactNode };

/** The same of a problem that an answer tells, with what can be done about it below. */
export function ToldProblem({ told: { message, cure, code }, children }: ToldProblemProps) {
  return (
    <div className="problem" role="alert">
      <p>
        <strong>{sentence(message)}</strong>
      </p>
      <p>
        {sentence(cure)} <code className="faint">{code}</code>
      </p>
      {children}
    </div>
  );
}

function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
