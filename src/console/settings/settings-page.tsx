import { Empty } from '../parts/empty.tsx';
import { SidePages } from '../parts/side-pages.tsx';
import { Account } from './account.tsx';
import { Environments } from './environments.tsx';
import { People } from './people.tsx';

const parts = [
  ['environments', 'Environments', Environments],
  ['people', 'People', People],
  ['account', 'Your account', Account],
] as const;

/** Settings, a part at a time. */
export default function SettingsPage({ part }: { part: string }) {
  const [, title, Part] = parts.find(([name]) => name === part) ?? [];
  return (
    <SidePages label="Settings" pages={parts} shown={part} pathOf={(name) => `/settings/${name}`}>
      {title === undefined || Part === undefined ? (
        <Empty title="There are no such settings" />
      ) : (
        <>
          <title>{`${title} · vp`}</title>
          <h1>{title}</h1>
          <Part />
        </>
      )}
    </SidePages>
  );
}
