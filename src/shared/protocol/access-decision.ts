/**
 * How rules decide (A1), apart from which rules there are.
 * Law: default deny, and a deny beats an allow; a subscription that overlaps a deny, or that no one allow covers, is refused.
 */
import type { AccessAction, AccessRule } from './acl-rules.ts';
import { covers, matches, overlaps } from './subject.ts';

/** What is asked: a subject to publish, or a pattern to subscribe to. */
export interface AccessRequest {
  readonly action: AccessAction;
  readonly text: string;
}

/** The rule that decides over a request, of rules whose patterns have no placeholders; undefined: none, so it is denied. */
export function decideAccess(rules: readonly AccessRule[], { action, text }: AccessRequest): AccessRule | undefined {
  const reaches = (rule: AccessRule, fits: (pattern: string, text: string) => boolean): boolean =>
    rule.action === action && fits(rule.pattern, text);
  const isDenied = action === 'publish' ? matches : overlaps;
  const isAllowed = action === 'publish' ? matches : covers;
  return (
    rules.find((rule) => rule.effect === 'deny' && reaches(rule, isDenied)) ??
    rules.find((rule) => rule.effect === 'allow' && reaches(rule, isAllowed))
  );
}
