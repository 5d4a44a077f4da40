/** Errors of the registry of MCP servers: of serving one, and of publishing to one. */
import { missing, unready } from './row.ts';

/** Area: registry. */
export const registryErrors = {
  REGISTRY_SERVER_UNKNOWN: missing(
    'the registry has no server {{server}}',
    'search it: GET /v0/servers?search=<part of the name>; deleted ones are shown with include_deleted=true',
  ),
  REGISTRY_DNS_FAILED: unready(
    'the name servers do not say what TXT records {{domain}} has: {{problem}}',
    'see that this machine reaches its name servers, then try again',
  ),
} as const;
