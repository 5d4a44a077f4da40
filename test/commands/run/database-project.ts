/** The product folder of an application whose database is looked into by a role that may only read. */
import type { TestDatabase } from '../../postgres/test-database.ts';
import type { createWorkspace } from '../test-workspace.ts';

type DatabaseProject = {
  readonly project: string;
  /** Of the application. */
  readonly origin: string;
  /** Its role `reader` has the password `reader-password`. */
  readonly database: TestDatabase;
};

export function writeDatabaseProject(
  workspace: ReturnType<typeof createWorkspace>,
  { project, origin, database }: DatabaseProject,
): void {
  workspace.write(
    'product/platform-config.yaml',
    `project: {name: ${project}}
targets:
  http: {base_url: "${origin}"}
  database:
    type: postgres
    jdbc_url: jdbc:postgresql://127.0.0.1:${database.server.port}/${database.name}
    username: reader
    password: \${READER_PASSWORD}
`,
  );
  workspace.write('product/.env', 'READER_PASSWORD=reader-password\n');
}
