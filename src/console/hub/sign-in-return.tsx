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
  if (code !== null)
    return (
      <ToldProblem told={{ message: `The sign-in at ${connection} did not succeed`, cure: cureOf(code), code }}>
        {close}
      </ToldProblem>
    );
  if (signedIn === null) return null;
  return (
    <p className="notice" role="status">
      Signed in at {signedIn}. Its tools are there from the next call on. {close}
    </p>
  );
}

function cureOf(code: string): string {
  return code.includes('REFUSED') || code.includes('DENIED')
    ? 'Its server refused, or you did. Sign in again there and allow it'
    : 'Begin again from the card of the connection: a sign-in must be finished in the same browser within 10 minutes';
}
