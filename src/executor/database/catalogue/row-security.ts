/**
 * Tables of which row security (PostgreSQL, section 5.8) hides rows from the user of the session. The server leaves such rows out
 * without a word, so that `db rows=0` would hold for a table that is full.
 */

/** Policies for SELECT and ALL, of PUBLIC (0) and of roles whose privileges the user has. */
const policyApplies = `p.polrelid = c.oid AND p.polcmd IN ('r', '*')
    AND EXISTS (SELECT FROM pg_catalog.unnest(p.polroles) AS r (role)
      WHERE r.role = 0 OR pg_catalog.pg_has_role(current_user, r.role, 'USAGE'))`;

/**
 * A condition on `c` of pg_class: row security is on, and policies do not give the user every row. Of permissive policies one is
 * enough, and each restrictive one may take rows away.
 */
export const policiesHideRows = `(c.relrowsecurity AND c.relkind IN ('r', 'p') AND (
  NOT EXISTS (SELECT FROM pg_catalog.pg_policy p WHERE ${policyApplies}
    AND p.polpermissive AND pg_catalog.pg_get_expr(p.polqual, p.polrelid) = 'true')
  OR EXISTS (SELECT FROM pg_catalog.pg_policy p WHERE ${policyApplies} AND NOT p.polpermissive)))`;
