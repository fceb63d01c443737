import { interleave, median, ratios } from '/work/main/bench/measure.ts';
import { eventBody, signedHeaders, wireRequest } from '/work/main/bench/receiver/deliveries.ts';
import { sendAll } from '/work/main/bench/receiver/load.ts';
import { startServer } from '/work/main/bench/receiver/server-process.ts';
const N=30000, C=+(process.env.C??64), R=+(process.env.R??9); let run=0;
const prof=process.env.P?['--cpu-prof','--cpu-prof-name=dr.cpuprofile','--cpu-prof-dir=/tmp/exp']:(process.env.F??'').split(' ').filter(Boolean);
const bare=await startServer('bare-server.ts',[],(process.env.F??'').split(' ').filter(Boolean)); const ours=await startServer('darkroom-server.ts',[String(N)],prof);
const mk=(g:'standard'|'both')=>{run++; return Array.from({length:N},(_,i)=>{const b=eventBody(`task_${i}`); return wireRequest(signedHeaders(`msg_${run}_${i}_abcdefghij`,b,g),b);});};
const cpu:Record<string,number[]>={};
const one=async(name:string,s:typeof bare,g:'standard'|'both')=>{ const reqs=mk(g); const a=await s.usage(); const t=await sendAll(s.port,reqs,C); const b=await s.usage(); (cpu[name]??=[]).push((b.cpu-a.cpu)/N); return N/t; };
const G=(process.env.G??'standard,both').split(',') as ('standard'|'both')[];
const variants:Record<string,()=>Promise<number>>={}; for(const g of G){ variants['bare '+g]=()=>one('bare '+g,bare,g); variants['ours '+g]=()=>one('ours '+g,ours,g); }
const v=await interleave(R,variants);
for(const g of G){ console.log(g,'bare',Math.round(median(v['bare '+g]!)),'ours',Math.round(median(v['ours '+g]!)),'ratio',median(ratios(v['ours '+g]!,v['bare '+g]!)).toFixed(3),'[',Math.min(...ratios(v['ours '+g]!,v['bare '+g]!)).toFixed(2),Math.max(...ratios(v['ours '+g]!,v['bare '+g]!)).toFixed(2),']','cpu',median(cpu['bare '+g]!).toFixed(2),median(cpu['ours '+g]!).toFixed(2), 'cpu ratio',(median(cpu['bare '+g]!)/median(cpu['ours '+g]!)).toFixed(3)); }
await bare.stop(); await ours.stop();
