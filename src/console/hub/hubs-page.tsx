import { Link } from 'wouter';
import { Command } from '../parts/command.tsx';
import { Empty } from '../parts/empty.tsx';
import { useWhoami } from '../session/use-session.ts';
import { hubPath } from '../shell/paths.ts';
import { countText } from '../words/moments.ts';
import { useHubs } from './current-hub.ts';
import { Loaded } from './loaded.tsx';
import { NewHub } from './new-hub.tsx';
import { SignInReturn } from './sign-in-return.tsx';
import { OtherTokens } from './tokens.tsx';

/** The hubs that one belongs to, and the way to make one. */
export default function HubsPage() {
  const query = useHubs();
  if (useWhoami()?.person === null) return <NoPerson />;
  return (
    <div className="settings">
      <title>Hubs · vp</title>
      <div>
        <h1>Hubs</h1>
        <SignInReturn />
        <p className="faint">
          A hub is one governed, audited door to every tool server that your people and programs use. Servers to connect
          are in the <Link href="/registry">registry</Link>.
        </p>
        <Loaded query={query}>
          {(hubs) => (
            <>
              {hubs.length === 0 ? (
                <Empty title="You belong to no hub yet">
                  <p>Make one here, by the command below, or ask an owner of a hub to add you.</p>
                  <Command text="vp hubs create acme" />
                </Empty>
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
                      you are {role}, {countText(members, 'member')}, {countText(connections, 'connection')}
                    </span>
                  </li>
                ))}
              </ul>
            </>
          )}
        </Loaded>
        <NewHub />
        <OtherTokens hub={undefined} />
      </div>
    </div>
  );
}

function NoPerson() {
  return (
    <Empty title="Hubs belong to people">
      <p>The owner key is nobody in particular. Make your account first:</p>
      <Command text="vp setup-link" />
    </Empty>
  );
}
