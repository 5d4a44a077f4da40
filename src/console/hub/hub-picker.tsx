import { useLocation, useRoute } from 'wouter';
import { Select } from '../components/select.tsx';
import { hubPath } from '../paths.ts';
import { useCurrentHub, useHubs } from './current-hub.ts';

/** Switching the hub keeps the current page. */
export function HubPicker() {
  const { data = [] } = useHubs();
  const current = useCurrentHub();
  const [, params] = useRoute('/hubs/:hub/:part');
  const [, navigate] = useLocation();
  if (data.length === 0) return null;
  const options = [
    ...(current ? [] : [['', 'choose…'] as const]),
    ...data.map(({ slug, name }) => [slug, name] as const),
    ['+', 'New hub…'] as const,
  ];
  const choose = (slug: string): void => navigate(slug === '+' ? '/hubs' : hubPath(slug, params?.part));
  return <Select label="Hub" value={current?.slug ?? ''} options={options} onSelect={choose} />;
}
