//! The form `plan` of a policy, as counts of servers by pool and epoch.

use crate::json::Json;

pub struct Plan {
    pub epoch_s: i128,
    pub pools: Vec<Pool>,
    pub epochs: Vec<Epoch>,
    pub jobs: Vec<Job>,
    pub is_malleable: bool,
    pub battery: Option<Battery>,
    pub grid_mw: i128,
}

pub struct Pool {
    pub servers: i128,
    pub busy_mw: i128,
    pub asleep_mw: i128,
    pub migration_mj: i128,
}

pub struct Epoch {
    pub green_mw: i128,
    pub brown_udollars_per_kwh: i128,
    pub first_green_pool: Option<i128>,
    pub battery_mj: i128,
}

pub struct Job {
    pub name: String,
    pub green_slots: i128,
    /// Servers by epoch, then by pool.
    pub servers: Vec<Vec<i128>>,
}

pub struct Battery {
    pub capacity_mj: i128,
    pub charge_mw: i128,
    pub discharge_mw: i128,
    pub kept_ppm: i128,
    pub first_mj: i128,
}

impl Plan {
    /// Fails for a place outside the plan.
    pub fn of(form: &Json) -> Result<Plan, String> {
        let pools = form.list("pools")?.iter().map(pool).collect::<Result<Vec<_>, _>>()?;
        let epochs = form.list("epochs")?.iter().map(epoch).collect::<Result<Vec<_>, _>>()?;
        let job = |json: &Json| job(json, pools.len(), epochs.len());
        Ok(Plan {
            epoch_s: form.number("epoch_s")?,
            jobs: form.list("jobs")?.iter().map(job).collect::<Result<_, _>>()?,
            is_malleable: form.member("malleable").is_some(),
            battery: form.member("battery").map(battery).transpose()?,
            grid_mw: form.number_or_none("grid_mw")?.unwrap_or(0),
            pools,
            epochs,
        })
    }

    pub fn busy(&self, epoch: usize, pool: usize) -> i128 {
        self.jobs.iter().map(|job| job.servers[epoch][pool]).sum()
    }

    pub fn is_green(&self, epoch: usize, pool: usize) -> bool {
        self.epochs[epoch].first_green_pool.is_some_and(|first| pool as i128 >= first)
    }

    /// Energy that all pools use in an epoch [mJ].
    pub fn drawn_mj(&self, epoch: usize) -> i128 {
        let of_pool = |(number, pool): (usize, &Pool)| {
            let busy = self.busy(epoch, number);
            let power_mw = busy * pool.busy_mw + (pool.servers - busy) * pool.asleep_mw;
            power_mw * self.epoch_s + self.moved(epoch, number) * pool.migration_mj
        };
        self.pools.iter().enumerate().map(of_pool).sum()
    }

    /// Servers of a pool to which work moves, or from which it does if a job shrinks.
    fn moved(&self, epoch: usize, pool: usize) -> i128 {
        let of_job = |job: &Job| {
            let now = &job.servers[epoch];
            let was_there = job.servers[..epoch].iter().flatten().any(|servers| *servers > 0);
            if !was_there || now.iter().all(|servers| *servers == 0) {
                return 0;
            }
            let before = &job.servers[epoch - 1];
            let changed = now.iter().sum::<i128>() - before.iter().sum::<i128>();
            let gained = now[pool] - before[pool];
            if self.is_malleable && changed < 0 {
                (-gained).max(0)
            } else {
                gained.max(0)
            }
        };
        self.jobs.iter().map(of_job).sum()
    }
}

impl Job {
    pub fn slots(&self) -> i128 {
        self.servers.iter().flatten().sum()
    }
}

fn pool(json: &Json) -> Result<Pool, String> {
    Ok(Pool {
        servers: json.number("servers")?,
        busy_mw: json.number("busy_mw")?,
        asleep_mw: json.number("asleep_mw")?,
        migration_mj: json.number("migration_mj")?,
    })
}

fn epoch(json: &Json) -> Result<Epoch, String> {
    Ok(Epoch {
        green_mw: json.number("green_mw")?,
        brown_udollars_per_kwh: json.number("brown_udollars_per_kwh")?,
        first_green_pool: json.number_or_none("first_green_pool")?,
        battery_mj: json.number_or_none("battery_mj")?.unwrap_or(0),
    })
}

fn job(json: &Json, pools: usize, epochs: usize) -> Result<Job, String> {
    let name = json.text("name")?.to_string();
    let mut servers = vec![vec![0; pools]; epochs];
    for span in json.list("spans")? {
        let (pool, first) = (span.number("pool")?, span.number("first_epoch")?);
        let past = first + span.number("epochs")?;
        let is_inside = (0..pools as i128).contains(&pool) && first >= 0 && past <= epochs as i128;
        if !is_inside {
            return Err(format!("`{name}` has a place outside of the plan"));
        }
        for epoch in first..past {
            servers[epoch as usize][pool as usize] += span.number("servers")?;
        }
    }
    Ok(Job { name, green_slots: json.number("green_slots")?, servers })
}

fn battery(json: &Json) -> Result<Battery, String> {
    Ok(Battery {
        capacity_mj: json.number("capacity_mj")?,
        charge_mw: json.number("charge_mw")?,
        discharge_mw: json.number("discharge_mw")?,
        kept_ppm: json.number("kept_ppm")?,
        first_mj: json.number("first_mj")?,
    })
}
