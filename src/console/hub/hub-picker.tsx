import { useLocation, useRoute } from 'wouter';
import { Choice } from '../parts/choice.tsx';
import { hubPath } from '../shell/paths.ts';
import { useCurrentHub, useHubs } from './current-hub.ts';

/** Which hub: those that one belongs to, and the way to make one. The part of the page stays the same. */
export function HubPicker() {
  const { data = [] } = useHubs();
  const current = useCurrentHub();
  const [, params] = useRoute('/hubs/:hub/:part');
  const [, go] = useLocation();
  if (data.length === 0) return null;
  const options = [
    ...(current ? [] : [['', 'choose…'] as const]),
    ...data.map(({ slug, name }) => [slug, name] as const),
    ['+', 'New hub…'] as const,
  ];
  const choose = (slug: string): void => go(slug === '+' ? '/hubs' : hubPath(slug, params?.part));
  return <Choice label="Hub" value={current?.slug ?? ''} options={options} onChoose={choose} />;
}
