import { useSearchParams } from 'wouter';
import { ToldProblem } from '../parts/problem.tsx';

/** What came of a sign-in at a connection's server, as the address says that the browser came back with; it can be put away. */
export function SignInReturn() {
  const [search, setSearch] = useSearchParams();
  const [signedIn, code] = [search.get('signed_in'), search.get('problem')];
  const connection = search.get('connection') ?? 'the server';
  const close = (
    <button type="button" className="quiet" onClick={() => setSearch('', { replace: true })}>
      Put away
    </button>
  );
  if (code !== null) {
    const [why, cure] = endings[code] ?? other;
    return (
      <ToldProblem told={{ message: `The sign-in at ${connection} did not succeed: ${why}`, cure, code }}>
        {close}
      </ToldProblem>
    );
  }
  if (signedIn === null) return null;
  return (
    <p className="notice" role="status">
      Signed in at {signedIn}. Its tools are there from the next call on. {close}
    </p>
  );
}

/** Why a sign-in ended, and what to do; the address has the code alone. */
const endings: Readonly<Record<string, readonly [why: string, cure: string]>> = {
  CONNECTION_SIGN_IN_REFUSED: [
    'its page refused, or you did',
    'Begin it again at the connection, and allow what its page asks for',
  ],
  CONNECTION_SIGN_IN_OVER: [
    'it was finished before, took more than 10 minutes, or began in another browser',
    'Begin it again at the connection',
  ],
  CONNECTION_SIGN_IN_UNTRUSTED: [
    'what came back is not to be trusted',
    'Do not sign in there; ask who runs that server',
  ],
  CONNECTION_SIGN_IN_UNAVAILABLE: [
    'the server gave no way to finish it',
    'Ask who runs that server; where it does not let hubs register themselves, give the connection a client id',
  ],
};
const other = ['it broke off', 'Begin it again at the connection'] as const;
