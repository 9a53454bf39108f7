// Prints the sentence of the answer for findings: node sentence.mjs '[{"finding": {"id": …}, "ratio": …, "verdict": …}]'

import { answer } from '../src/answer.js';

const findings = JSON.parse(process.argv[2]);
console.log(answer({ finding: (id) => findings.find((one) => one.finding.id === id) }));
