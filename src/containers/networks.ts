/** Networks and volumes of the engine. */
import type { Engine } from './engine.ts';

function lines(text: string): string[] {
  return text.split('\n').filter(Boolean);
}

/** The names of all networks, sorted. */
export async function networkNames(engine: Engine): Promise<readonly string[]> {
  return lines(await engine.output(['network', 'ls', '--format', '{{.Name}}'])).sort();
}

/** The names of all compose projects that have a container, sorted. */
export async function projectNames(engine: Engine): Promise<readonly string[]> {
  const words = ['ps', '--all', '--format', '{{.Label "com.docker.compose.project"}}'];
  return [...new Set(lines(await engine.output(words)))].sort();
}

/** The volumes of a compose project, sorted. */
export async function volumesOfProject(engine: Engine, project: string): Promise<readonly string[]> {
  const filter = `label=com.docker.compose.project=${project}`;
  return lines(await engine.output(['volume', 'ls', '--filter', filter, '--format', '{{.Name}}'])).sort();
}

/** Makes a volume that compose takes as its own: of `project`, under its short name `volume` there; fine when it exists. */
export async function makeProjectVolume(engine: Engine, project: string, volume: string): Promise<string> {
  const labels = [`com.docker.compose.project=${project}`, `com.docker.compose.volume=${volume}`];
  const name = `${project}_${volume}`;
  await engine.output(['volume', 'create', ...labels.flatMap((label) => ['--label', label]), name]);
  return name;
}
