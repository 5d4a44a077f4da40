import { Link } from 'wouter';
import { CommandLine } from '../components/command-line.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { hubPath } from '../paths.ts';
import { useWhoami } from '../session/use-session.ts';
import { formatCount } from '../text/format.ts';
import { useHubs } from './current-hub.ts';
import { NewHub } from './new-hub.tsx';
import { QueryContent } from './query-content.tsx';
import { SignInNotice } from './sign-in/sign-in-notice.tsx';
import { OtherHubTokens } from './tokens/tokens-page.tsx';

export default function HubsPage() {
  const query = useHubs();
  if (useWhoami()?.person === null) return <AccountRequired />;
  return (
    <div className="settings">
      <title>Hubs · vp</title>
      <div>
        <h1>Hubs</h1>
        <SignInNotice />
        <p className="faint">
          A hub is one governed, audited entry point to the tool servers that people and apps use. Find servers to
          connect in the <Link href="/registry">registry</Link>.
        </p>
        <QueryContent query={query}>
          {(hubs) => (
            <>
              {hubs.length === 0 ? (
                <EmptyState title="You are not a member of any hub yet">
                  <p>Create one here or with the command below, or ask an owner of a hub to add you.</p>
                  <CommandLine text="vp hubs create acme" />
                </EmptyState>
              ) : null}
              <ul className="plain-list">
                {hubs.map(({ hub_id: id, slug, name, role, members, connections }) => (
                  <li key={id}>
                    <span>
                      <Link href={hubPath(slug)} data-row>
                        <b>{name}</b>
                      </Link>{' '}
                      {name === slug ? null : <code className="faint">{slug}</code>}
                    </span>
                    <span className="faint">
                      you are {role}, {formatCount(members, 'member')}, {formatCount(connections, 'connection')}
                    </span>
                  </li>
                ))}
              </ul>
            </>
          )}
        </QueryContent>
        <NewHub />
        <OtherHubTokens hub={undefined} />
      </div>
    </div>
  );
}

function AccountRequired() {
  return (
    <EmptyState title="Hubs belong to people">
      <p>The owner key does not belong to a person. Create your account first:</p>
      <CommandLine text="vp setup-link" />
    </EmptyState>
  );
}
