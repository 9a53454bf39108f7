// Reads a run's figures. Why ours differs from an author's is written after the run, so that text is taken from
// lab/findings.json as it is now, and not as it was.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const list = join(dirname(fileURLToPath(import.meta.url)), '../findings.json');

export function load(file) {
  const document = JSON.parse(readFileSync(file, 'utf8'));
  const now = new Map(JSON.parse(readFileSync(list, 'utf8')).findings.map((finding) => [finding.id, finding]));
  for (const { finding } of document.findings) {
    finding.statement = now.get(finding.id)?.statement ?? finding.statement;
    finding.reason = now.get(finding.id)?.reason ?? finding.reason ?? '';
  }
  return document;
}
