import { Link } from 'wouter';
import { Checklist } from '../components/checklist.tsx';
import { AlternativeCommand, CommandLine } from '../components/command-line.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { hubPath } from '../paths.ts';
import { useHasRole, useWhoami } from '../session/use-session.ts';
import { formatCount } from '../text/format.ts';
import { useHubs } from './current-hub.ts';
import { NewHub } from './new-hub.tsx';
import { QueryContent } from './query-content.tsx';
import { SignInNotice } from './sign-in/sign-in-notice.tsx';
import { OtherHubTokens } from './tokens/tokens-page.tsx';

export default function HubsPage() {
  const query = useHubs();
  const mayCreate = useHasRole('member');
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
                  <p>{mayCreate ? 'Create one below, or ask' : 'Ask'} an owner of a hub to add you.</p>
                  <Checklist
                    steps={[
                      { text: 'Create your account', isDone: true },
                      { text: mayCreate ? 'Create a hub' : 'Become a member of a hub', isDone: false },
                      { text: 'Connect an MCP server', isDone: false },
                      { text: 'Call a tool', isDone: false },
                    ]}
                  />
                  {mayCreate ? <AlternativeCommand text="vp hubs create acme" /> : null}
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
